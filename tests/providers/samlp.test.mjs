import { proves } from "./flow.mjs";
import { samlProvider } from "./samlp.mjs";

await proves("saml", samlProvider);
