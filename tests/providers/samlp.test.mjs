import { proves } from "./flow.mjs";
import { base } from "./place.mjs";
import { samlProvider } from "./samlp.mjs";

proves(await samlProvider(base));
