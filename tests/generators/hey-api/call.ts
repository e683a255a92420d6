// The main operations, both variants of the login settings, and errors, with the client of hey-api.
import assert from 'node:assert/strict';
import * as flagstone from './client';
import type { ApiError, OidcSettingsEnabled } from './client';
import { client } from './client/client.gen';

const as = (token: string) => ({ headers: { Authorization: token } });
const admin = as(process.env.FLAGSTONE_ADMIN_TOKEN!);
client.setConfig({ baseUrl: process.env.FLAGSTONE_URL! });
const path = { projectId: 'bakery' };

/** What a successful call answered; a refusal ends the story. */
function answer<T>({ data, error }: { data?: T; error?: unknown }): T {
  assert.equal(error, undefined);
  assert.ok(data !== undefined);
  return data;
}

function assertRefused(result: { error?: ApiError; response?: Response }, status: number, name: string) {
  assert.equal(result.response?.status, status);
  assert.equal(result.error?.name, name);
  assert.match(result.error.id, /^[0-9a-f-]{36}$/);
}

async function features() {
  assert.equal(answer(await flagstone.getProfile(admin)).rootRole.name, 'Admin');
  const created = answer(await flagstone.createProject({ ...admin, body: { id: 'bakery', name: 'Bakery' } }));
  assert.deepEqual([created.id, created.description], ['bakery', undefined]);
  for (const body of [{ name: 'oven-timer', type: 'release' }, { name: 'sour-dough', type: 'experiment' }]) {
    assert.equal(answer(await flagstone.createFeature({ ...admin, path, body })).name, body.name);
  }
  const timer = { ...path, featureName: 'oven-timer' };
  const body = [{ op: 'replace', path: '/impressionData', value: true } as const];
  assert.equal(answer(await flagstone.patchFeature({ ...admin, path: timer, body })).impressionData, true);
  const list = answer(await flagstone.getFeatures({ ...admin, path }));
  assert.deepEqual(list.features.map((feature) => feature.name), ['oven-timer', 'sour-dough']);
  const child = { ...path, featureName: 'sour-dough' };
  const added = await flagstone.addFeatureDependency({ ...admin, path: child, body: { feature: 'oven-timer' } });
  assert.equal(added.response?.status, 200);
  const query = { project: 'IS:bakery', sortBy: 'name', status: ['production:disabled'] };
  const found = answer(await flagstone.searchFeatures({ ...admin, query }));
  assert.deepEqual([found.total, found.features.map((one) => one.dependencyType)], [2, ['parent', 'child']]);
}

async function settings() {
  assert.deepEqual(answer(await flagstone.getOidcSettings(admin)), { enabled: false });
  const enabled: OidcSettingsEnabled = {
    enabled: true,
    clientId: 'flagstone',
    secret: 'kept to ourselves',
    discoverUrl: 'https://login.example.com',
  };
  assert.ok(answer(await flagstone.setOidcSettings({ ...admin, body: enabled })));
  const stored = answer(await flagstone.getOidcSettings(admin));
  assert.ok(stored.enabled);
  // The type follows the switch: only the enabled variant is sure to have a secret.
  assert.equal(stored.secret.length, 17);
  assert.deepEqual(answer(await flagstone.setOidcSettings({ ...admin, body: { enabled: false } })), { enabled: false });
}

async function refusals() {
  const body = { name: 'sour-dough', type: 'release' };
  assertRefused(await flagstone.getProfile(as('wrong')), 401, 'AuthenticationRequired');
  const program = as(process.env.FLAGSTONE_CLIENT_TOKEN!);
  assertRefused(await flagstone.createFeature({ ...program, path, body }), 403, 'NoAccessError');
  assertRefused(await flagstone.createFeature({ ...admin, path, body }), 409, 'NameExistsError');
  const nowhere = await flagstone.getProjectHealthReport({ ...admin, path: { projectId: 'nowhere' } });
  assertRefused(nowhere, 404, 'NotFoundError');
}

async function main() {
  for (const chapter of [features, settings, refusals]) await chapter();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
