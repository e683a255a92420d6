// `@openfeature/unleash-web-provider`: OpenFeature in a page, through Unleash's library for pages.

import { UnleashWebProvider } from '@openfeature/unleash-web-provider';
import { InMemoryStorageProvider } from 'unleash-proxy-client';

import { askOpenFeature } from './open-feature.mjs';
import { application, frontendToken, url } from './speaking.mjs';

await askOpenFeature(
  new UnleashWebProvider({
    url: `${url}/api/frontend`,
    clientKey: frontendToken,
    appName: application,
    refreshInterval: 1,
    metricsInterval: 1,
    metricsIntervalInitial: 1,
    storageProvider: new InMemoryStorageProvider(),
  }),
  (user) => ({ userId: user }),
);
