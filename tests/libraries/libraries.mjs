// The libraries that are proven, each in every way in which it can be told about flags.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (path) => readFileSync(here(path), 'utf8');
const node = JSON.parse(read('package.json')).dependencies;
const python = read('requirements.txt').match(/^UnleashClient==(.+)$/m)[1];
const rust = read('rust/Cargo.toml').match(/^unleash-api-client = \{ version = "=(.+?)"/m)[1];

const builtIn = [
  'cityShop',
  'default',
  'applicationHostname',
  'gradualRolloutRandom',
  'gradualRolloutUserId',
  'gradualRolloutSessionId',
  'userWithId',
  'remoteAddress',
  'flexibleRollout',
];
const inNode = {
  command: [process.execPath, here('programs/node.mjs')],
  sdk: `unleash-node-sdk:${node['unleash-client']}`,
  strategies: builtIn,
  missingStrategies: builtIn.filter((name) => name.startsWith('gradualRollout')).sort(),
};
const inPython = {
  command: [process.env.LIBRARIES_PYTHON, here('programs/ask.py')],
  sdk: `unleash-python-sdk:${python}`,
  strategies: ['cityShop'],
};
const inRust = { command: [process.env.LIBRARIES_RUST], sdk: `unleash-rust-sdk:${rust}`, strategies: ['cityShop'] };

/** Whether the field's own edge is asked in the server's place. */
export const behindFieldEdge = process.env.LIBRARIES_BEHIND === 'field-edge';
const browser = JSON.parse(read('package.json')).dependencies['unleash-proxy-client'];

const inBrowser = {
  command: [process.execPath, here('programs/browser.mjs')],
  path: '/api/frontend',
  etag: true,
  isAnsweredByServer: true,
  token: process.env.FLAGSTONE_FRONTEND_TOKEN,
  // What it calls itself in its reports, which name no SDK: the field's edge adds it from a header.
  instance: 'browser',
  ...(behindFieldEdge && { sdk: `unleash-js-sdk:${browser}` }),
};

const ways = {
  polling: { path: '/api/client/features', etag: true },
  delta: { path: '/api/client/delta', etag: true },
  streaming: { path: '/api/client/streaming', etag: false },
};

/**
 * Each has a name, the mode that its program is told, the request by which it learns about flags and whether it sends
 * an `ETag` back, the SDK and the strategies that it registers with.
 */
export const libraries = [
  { name: 'unleash-client', mode: 'polling', ...inNode, ...ways.polling },
  { name: 'unleash-client', mode: 'delta', ...inNode, ...ways.delta },
  { name: 'unleash-client', mode: 'streaming', ...inNode, ...ways.streaming },
  { name: 'UnleashClient', mode: 'polling', ...inPython, ...ways.polling },
  { name: 'UnleashClient', mode: 'streaming', ...inPython, ...ways.streaming },
  // Does not keep the ETag of an answer.
  { name: 'unleash-api-client', mode: 'polling', ...inRust, ...ways.polling, etag: false },
  { name: 'unleash-proxy-client', mode: 'GET', method: 'GET', ...inBrowser },
  { name: 'unleash-proxy-client', mode: 'POST', method: 'POST', ...inBrowser },
]
  // The field's edge has no differences and no stream for programs, and no entity tag in answers to POST.
  .filter(({ mode }) => !behindFieldEdge || !['delta', 'streaming'].includes(mode))
  .map((library) => (behindFieldEdge && library.method === 'POST' ? { ...library, etag: false } : library))
  .map((library) => {
    const title = `${library.name}, ${library.mode}`;
    const application = `library-${library.name}-${library.mode}`;
    return {
      token: process.env.FLAGSTONE_CLIENT_TOKEN,
      title,
      method: 'GET',
      application,
      instance: `instance of ${title}`,
      ...library,
    };
  });
