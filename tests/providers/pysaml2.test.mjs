import { proves } from "./flow.mjs";
import { pysaml2 } from "./pysaml2.mjs";

await proves("saml", pysaml2);
