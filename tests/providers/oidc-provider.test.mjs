import { proves } from "./flow.mjs";
import { oidcProvider } from "./oidc-provider.mjs";
import { base } from "./place.mjs";

proves(await oidcProvider(base));
