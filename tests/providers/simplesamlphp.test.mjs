import { proves } from "./flow.mjs";
import { simplesamlphp } from "./simplesamlphp.mjs";

await proves("saml", simplesamlphp);
