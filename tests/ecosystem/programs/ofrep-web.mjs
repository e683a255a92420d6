// `@openfeature/ofrep-web-provider`: OpenFeature in a page, with all features at once over OFREP.

import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

import { frontendToken, url } from './speaking.mjs';
import { askOpenFeature } from './open-feature.mjs';

await askOpenFeature(
  new OFREPWebProvider({ baseUrl: url, pollInterval: 500, headers: [['Authorization', frontendToken]] }),
  (user) => ({ targetingKey: user }),
);
