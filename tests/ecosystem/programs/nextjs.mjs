// `@unleash/nextjs`: features that a server of Next.js evaluates, those that it takes over from the frontend API, and its
// command, which writes types.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

import { application, clientToken, frontendToken, goThrough, payload, url } from './speaking.mjs';

Object.assign(process.env, {
  UNLEASH_SERVER_API_URL: `${url}/api`,
  UNLEASH_SERVER_API_TOKEN: clientToken,
  UNLEASH_FRONTEND_API_TOKEN: frontendToken,
  UNLEASH_APP_NAME: application,
});
const require = createRequire(import.meta.url);
const { evaluateFlags, flag, flagsClient, getDefinitions, getFrontendFlags } = require('@unleash/nextjs');

const command = path.join(path.dirname(require.resolve('@unleash/nextjs')), 'cli/index.js');
const types = path.join(process.env.ECOSYSTEM_DIRECTORY, 'unleash.ts');
await promisify(execFile)(process.execPath, [command, 'generate-types', types]);
const written = await readFile(types, 'utf8');
if (!written.includes('field.everyone')) throw new Error(`the types name no feature: ${written}`);

const frontend = await getFrontendFlags({ context: { userId: '7' } });
const names = frontend.toggles.map(({ name }) => name);
if (!names.includes('field.seven') || names.includes('field.nobody')) throw new Error(`the frontend API answers ${names}`);

let userId;
let evaluated;
await goThrough({
  enter: async (user) => {
    userId = user;
    const { toggles } = evaluateFlags(await getDefinitions(), { userId });
    evaluated = flagsClient(toggles);
  },
  // The change arrives by `flag`, which asks each time; the rest by the state that was fetched.
  isEnabled: async (name) => {
    if (name !== 'field.moving') return evaluated.isEnabled(name);
    const { enabled, error } = await flag(name, { userId });
    if (error) throw error;
    return enabled;
  },
  value: (name, type) => payload(evaluated.getVariant(name), type),
});
await evaluated.sendMetrics();
process.exit();
