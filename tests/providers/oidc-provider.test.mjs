import { proves } from "./flow.mjs";
import { oidcProvider } from "./oidc-provider.mjs";

await proves("oidc", oidcProvider);
