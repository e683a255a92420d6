// The main operations, both variants of the login settings, and errors, with the client of oazapfts.
import assert from 'node:assert/strict';
import * as flagstone from './client';
import type { ApiError, OidcSettingsEnabled } from './client';

flagstone.defaults.baseUrl = process.env.FLAGSTONE_URL!;
const as = (token: string) => ({ headers: { Authorization: token } });
const admin = as(process.env.FLAGSTONE_ADMIN_TOKEN!);

function assertRefused(answer: { status: number; data?: unknown }, status: number, name: string) {
  assert.equal(answer.status, status);
  const error = answer.data as ApiError;
  assert.equal(error.name, name);
  assert.match(error.id, /^[0-9a-f-]{36}$/);
}

async function features() {
  const profile = await flagstone.getProfile(admin);
  assert.ok(profile.status === 200);
  assert.equal(profile.data.rootRole.name, 'Admin');
  const created = await flagstone.createProject({ id: 'bakery', name: 'Bakery' }, {}, admin);
  assert.ok(created.status === 201);
  assert.deepEqual([created.data.id, created.data.description], ['bakery', undefined]);
  for (const body of [{ name: 'oven-timer', type: 'release' }, { name: 'sour-dough', type: 'experiment' }]) {
    const feature = await flagstone.createFeature('bakery', body, {}, admin);
    assert.ok(feature.status === 201);
    assert.equal(feature.data.name, body.name);
  }
  const operations = [{ op: 'replace', path: '/impressionData', value: true } as const];
  const patched = await flagstone.patchFeature('bakery', 'oven-timer', operations, {}, admin);
  assert.ok(patched.status === 200);
  assert.equal(patched.data.impressionData, true);
  const list = await flagstone.getFeatures('bakery', {}, admin);
  assert.ok(list.status === 200);
  assert.deepEqual(list.data.features.map((feature) => feature.name), ['oven-timer', 'sour-dough']);
  const added = await flagstone.addFeatureDependency('bakery', 'sour-dough', { feature: 'oven-timer' }, {}, admin);
  assert.equal(added.status, 200);
  const query = { project: 'IS:bakery', sortBy: 'name', status: ['production:disabled'] };
  const found = await flagstone.searchFeatures(query, admin);
  assert.ok(found.status === 200);
  assert.deepEqual([found.data.total, found.data.features.map((one) => one.dependencyType)], [2, ['parent', 'child']]);
}

async function settings() {
  const first = await flagstone.getOidcSettings({}, admin);
  assert.ok(first.status === 200);
  assert.deepEqual(first.data, { enabled: false });
  const enabled: OidcSettingsEnabled = {
    enabled: true,
    clientId: 'flagstone',
    secret: 'kept to ourselves',
    discoverUrl: 'https://login.example.com',
  };
  assert.equal((await flagstone.setOidcSettings(enabled, {}, admin)).status, 200);
  const stored = await flagstone.getOidcSettings({}, admin);
  assert.ok(stored.status === 200 && stored.data.enabled);
  // The type follows the switch: only the enabled variant is sure to have a secret.
  assert.equal(stored.data.secret.length, 17);
  const off = await flagstone.setOidcSettings({ enabled: false }, {}, admin);
  assert.ok(off.status === 200);
  assert.deepEqual(off.data, { enabled: false });
}

async function refusals() {
  const body = { name: 'sour-dough', type: 'release' };
  assertRefused(await flagstone.getProfile(as('wrong')), 401, 'AuthenticationRequired');
  assertRefused(await flagstone.createFeature('bakery', body, {}, as(process.env.FLAGSTONE_CLIENT_TOKEN!)), 403, 'NoAccessError');
  assertRefused(await flagstone.createFeature('bakery', body, {}, admin), 409, 'NameExistsError');
  assertRefused(await flagstone.getProjectHealthReport('nowhere', admin), 404, 'NotFoundError');
}

async function main() {
  for (const chapter of [features, settings, refusals]) await chapter();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
