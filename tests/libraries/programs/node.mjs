// Asks through `unleash-client`, as a server in Node does.

import unleash from 'unleash-client';

import { goThrough, settings, untilDismissed } from './questions.mjs';

const { InMemStorageProvider, Strategy, startUnleash } = unleash;

class CityShop extends Strategy {
  constructor() {
    super('cityShop');
  }

  isEnabled(parameters, context) {
    return context.properties?.city === parameters.city;
  }
}

const modes = {
  polling: { type: 'polling', format: 'full' },
  delta: { type: 'polling', format: 'delta' },
  streaming: { type: 'streaming' },
};

const client = await startUnleash({
  url: `${settings.url}/api`,
  appName: settings.application,
  instanceId: settings.instance,
  environment: 'development',
  customHeaders: { Authorization: settings.token },
  refreshInterval: 1000,
  metricsInterval: 1000,
  strategies: [new CityShop()],
  storageProvider: new InMemStorageProvider(),
  experimentalMode: modes[settings.mode],
});
client.on('error', (error) => console.error(error));

await goThrough({
  isEnabled: (flag, context) => client.isEnabled(flag, context),
  getVariant: (flag, context) => client.getVariant(flag, context),
});
await untilDismissed();
client.destroy();
