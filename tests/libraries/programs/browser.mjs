// Asks through `unleash-proxy-client`, as a page in a browser does: the server evaluates, one context at a time.

import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';

import { goThrough, settings, untilDismissed } from './questions.mjs';

function page(more) {
  const client = new UnleashClient({
    url: `${settings.url}/api/frontend`,
    clientKey: settings.token,
    appName: settings.application,
    environment: 'development',
    metricsInterval: 1,
    metricsIntervalInitial: 1,
    storageProvider: new InMemoryStorageProvider(),
    usePOSTrequests: settings.mode === 'POST',
    ...more,
  });
  client.on('error', (error) => console.error(error));
  return client;
}

// One changes its context all the time, and must not poll: a poll would break off what it has just asked. The other stays.
const changing = page({ disableRefresh: true });
// Its context names everything that variants are drawn by: what the server draws at random differs from one poll to the
// next, and such an answer is a 304 only by chance.
const settled = { userId: 'somebody', sessionId: 'a session', properties: { basketId: 'a basket' } };
const staying = page({ refreshInterval: 1, context: settled });
await Promise.all([changing.start(), staying.start()]);
let client = changing;

await goThrough({
  // Where a context names no session the client would name one of its own, and the server one at random.
  enter: (context) => client.updateContext({ sessionId: '', ...context }),
  stay: async () => (client = staying),
  isEnabled: (flag) => client.isEnabled(flag),
  getVariant: (flag) => client.getVariant(flag),
});
await untilDismissed();
changing.stop();
staying.stop();
