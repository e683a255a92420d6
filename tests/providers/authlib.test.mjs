import { authlib } from "./authlib.mjs";
import { proves } from "./flow.mjs";

await proves("oidc", authlib);
