// `@unleash/proxy`, and the library for pages that asks it: the proxy polls as a server-side SDK does, and evaluates.

import { once } from 'node:events';
import { createRequire } from 'node:module';

import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';

import { application, clientToken, goThrough, pause, payload, url } from './speaking.mjs';

const { createApp } = createRequire(import.meta.url)('@unleash/proxy');
const proxy = createApp({
  unleashUrl: `${url}/api`,
  unleashApiToken: clientToken,
  unleashAppName: `${application}-server`,
  clientKeys: ['a-key-of-the-proxy'],
  refreshInterval: 500,
  metricsInterval: 1000,
  metricsJitter: 0,
  logLevel: 'error',
});
const listening = proxy.listen(0, '127.0.0.1');
await once(listening, 'listening');
const client = new UnleashClient({
  url: `http://127.0.0.1:${listening.address().port}/proxy`,
  clientKey: 'a-key-of-the-proxy',
  appName: application,
  refreshInterval: 1,
  metricsInterval: 1,
  metricsIntervalInitial: 1,
  storageProvider: new InMemoryStorageProvider(),
});
// It answers 503 until it has polled.
while (!(await fetch(`http://127.0.0.1:${listening.address().port}/proxy/health`)).ok) await pause(50);
await client.start();
await goThrough({
  enter: (userId) => client.updateContext({ userId }),
  isEnabled: (flag) => client.isEnabled(flag),
  value: (flag, type) => payload(client.getVariant(flag), type),
});
client.stop();
// What it was told last it reports within a second or two.
await pause(3000);
process.exit();
