// `@unleash/proxy-client-react`: components that render what their hooks answer.

import { place } from './page.mjs';
import { FlagProvider, UnleashClient, useFlag, useFlagsStatus, useVariant } from '@unleash/proxy-client-react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { InMemoryStorageProvider } from 'unleash-proxy-client';

import { application, frontendToken, goThrough, payload, pause, url } from './speaking.mjs';

const client = new UnleashClient({
  url: `${url}/api/frontend`,
  clientKey: frontendToken,
  appName: application,
  refreshInterval: 1,
  metricsInterval: 1,
  metricsIntervalInitial: 1,
  storageProvider: new InMemoryStorageProvider(),
});
// The latest render, as text of the page.
function Shown({ flag }) {
  const { flagsReady, flagsError } = useFlagsStatus();
  const enabled = useFlag(flag);
  const variant = useVariant(flag);
  return createElement('pre', { id: flag }, JSON.stringify({ ready: flagsReady, error: flagsError, enabled, variant }));
}
const flags = ['everyone', 'nobody', 'seven', 'moving', 'missing', 'text', 'number', 'json'].map((name) => `field.${name}`);
const root = createRoot(place);
await client.start();
root.render(
  createElement(
    FlagProvider,
    { unleashClient: client, startClient: false },
    flags.map((flag) => createElement(Shown, { flag, key: flag })),
  ),
);

async function shown(flag) {
  for (;;) {
    const text = [...place.querySelectorAll('pre')].find(({ id }) => id === flag)?.textContent;
    const state = text && JSON.parse(text);
    if (state?.error) throw new Error(state.error);
    if (state?.ready) return state;
    await pause(50);
  }
}

await goThrough({
  enter: async (userId) => {
    await client.updateContext({ userId });
    await pause(200);
  },
  isEnabled: async (flag) => (await shown(flag)).enabled,
  value: async (flag, type) => payload((await shown(flag)).variant, type),
});
client.stop();
process.exit();
