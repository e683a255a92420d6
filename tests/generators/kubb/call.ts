// The main operations, both variants of the login settings, and errors, with the client of kubb.
import assert from 'node:assert/strict';
import { setConfig } from './client/.kubb/fetch';
import * as flagstone from './client/calls';
import type { ApiError, OidcSettingsEnabled } from './client/types';

// Its client sends JSON and leaves it to the caller to say so.
const as = (token: string) => ({ headers: { Authorization: token, 'Content-Type': 'application/json' } });
const admin = as(process.env.FLAGSTONE_ADMIN_TOKEN!);
setConfig({ baseURL: process.env.FLAGSTONE_URL!, ...admin });

// Its client reads JSON wherever a body may be, and fails on a success without one, which many operations have.
const { fetch: real } = globalThis;
globalThis.fetch = async (address, options) => {
  const answer = await real(address, options);
  return answer.headers.get('content-length') === '0' ? new Response(null, answer) : answer;
};

// Its client answers refusals like everything else.
function assertRefused(answer: { status: number; data: unknown }, status: number, name: string) {
  assert.equal(answer.status, status);
  const error = answer.data as ApiError;
  assert.equal(error.name, name);
  assert.match(error.id, /^[0-9a-f-]{36}$/);
}

async function features() {
  const profile = await flagstone.getProfile();
  assert.deepEqual([profile.status, profile.data.rootRole.name], [200, 'Admin']);
  const created = await flagstone.createProject({ id: 'bakery', name: 'Bakery' });
  assert.deepEqual([created.status, created.data.id, created.data.description], [201, 'bakery', undefined]);
  for (const body of [{ name: 'oven-timer', type: 'release' }, { name: 'sour-dough', type: 'experiment' }]) {
    const feature = await flagstone.createFeature('bakery', body);
    assert.deepEqual([feature.status, feature.data.name], [201, body.name]);
  }
  const operations = [{ op: 'replace', path: '/impressionData', value: true } as const];
  const patched = await flagstone.patchFeature('bakery', 'oven-timer', operations);
  assert.equal(patched.data.impressionData, true);
  const list = await flagstone.getFeatures('bakery');
  assert.deepEqual(list.data.features.map((feature) => feature.name), ['oven-timer', 'sour-dough']);
  assert.equal((await flagstone.addFeatureDependency('bakery', 'sour-dough', { feature: 'oven-timer' })).status, 200);
  const found = await flagstone.searchFeatures({ project: 'IS:bakery', sortBy: 'name', status: ['production:disabled'] });
  assert.deepEqual([found.data.total, found.data.features.map((one) => one.dependencyType)], [2, ['parent', 'child']]);
}

async function settings() {
  assert.deepEqual((await flagstone.getOidcSettings()).data, { enabled: false });
  const enabled: OidcSettingsEnabled = {
    enabled: true,
    clientId: 'flagstone',
    secret: 'kept to ourselves',
    discoverUrl: 'https://login.example.com',
  };
  assert.equal((await flagstone.setOidcSettings(enabled)).status, 200);
  const { data: stored } = await flagstone.getOidcSettings();
  assert.ok(stored.enabled);
  // The type follows the switch: only the enabled variant is sure to have a secret.
  assert.equal(stored.secret.length, 17);
  assert.deepEqual((await flagstone.setOidcSettings({ enabled: false })).data, { enabled: false });
}

async function refusals() {
  const body = { name: 'sour-dough', type: 'release' };
  assertRefused(await flagstone.getProfile(as('wrong')), 401, 'AuthenticationRequired');
  assertRefused(await flagstone.createFeature('bakery', body, undefined, as(process.env.FLAGSTONE_CLIENT_TOKEN!)), 403, 'NoAccessError');
  assertRefused(await flagstone.createFeature('bakery', body), 409, 'NameExistsError');
  assertRefused(await flagstone.getProjectHealthReport('nowhere'), 404, 'NotFoundError');
}

async function main() {
  for (const chapter of [features, settings, refusals]) await chapter();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
