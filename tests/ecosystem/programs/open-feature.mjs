// What both providers of OpenFeature for pages are asked.

import { OpenFeature } from '@openfeature/web-sdk';

import { goThrough } from './speaking.mjs';

/** Asks through a provider; `contextOf` a user is the context that it takes. */
export async function askOpenFeature(provider, contextOf) {
  await OpenFeature.setProviderAndWait(provider, contextOf('7'));
  const client = OpenFeature.getClient();
  const value = {
    string: (flag) => client.getStringValue(flag, 'nothing'),
    number: (flag) => client.getNumberValue(flag, -1),
    json: (flag) => client.getObjectValue(flag, {}),
  };
  await goThrough({
    enter: (user) => OpenFeature.setContext(contextOf(user)),
    isEnabled: (flag) => client.getBooleanValue(flag, false),
    value: (flag, type) => value[type](flag),
  });
  await OpenFeature.close();
  process.exit();
}
