// `@unleash/proxy-client-vue`: a component that renders what its functions answer.

import { place } from './page.mjs';
import { plugin, useFlag, useFlagsStatus, useVariant } from '@unleash/proxy-client-vue';
import { createApp, h } from 'vue';
import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';

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
const flags = ['everyone', 'nobody', 'seven', 'moving', 'missing', 'text', 'number', 'json'].map((name) => `field.${name}`);
const Shown = {
  setup() {
    const { flagsReady } = useFlagsStatus();
    const states = flags.map((flag) => ({ flag, enabled: useFlag(flag), variant: useVariant(flag) }));
    const shown = ({ enabled, variant }) => JSON.stringify({ enabled: enabled.value, variant: variant.value });
    return () => h('div', { 'data-ready': flagsReady.value }, states.map((state) => h('pre', { id: state.flag }, shown(state))));
  },
};
createApp(Shown).use(plugin, { unleashClient: client, startClient: false }).mount(place);
await client.start();

async function shown(flag) {
  for (;;) {
    const isReady = place.querySelector('div')?.dataset.ready === 'true';
    const text = [...place.querySelectorAll('pre')].find(({ id }) => id === flag)?.textContent;
    if (isReady && text) return JSON.parse(text);
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
