// The main operations, both variants of the login settings, and errors, with the client of openapi-zod-client: it judges each
// answer by the schema of the document, and fails where one differs.
import assert from 'node:assert/strict';
import { isAxiosError } from 'axios';
import { createApiClient } from './client';

const flagstone = createApiClient(process.env.FLAGSTONE_URL!, { validate: true });
const as = (token: string) => ({ headers: { Authorization: token } });
const admin = as(process.env.FLAGSTONE_ADMIN_TOKEN!);
const bakery = { ...admin, params: { projectId: 'bakery' } };
const of = (featureName: string) => ({ ...admin, params: { projectId: 'bakery', featureName } });

async function assertRefused(call: Promise<unknown>, status: number, name: string) {
  const error: unknown = await call.then(() => assert.fail(`${name} was expected`), (reason: unknown) => reason);
  assert.ok(isAxiosError(error) && error.response, String(error));
  assert.equal(error.response.status, status);
  assert.equal(error.response.data.name, name);
}

async function features() {
  assert.equal((await flagstone.getProfile(admin)).rootRole.name, 'Admin');
  const created = await flagstone.createProject({ id: 'bakery', name: 'Bakery' }, admin);
  assert.deepEqual([created.id, created.description], ['bakery', undefined]);
  for (const body of [{ name: 'oven-timer', type: 'release' }, { name: 'sour-dough', type: 'experiment' }]) {
    assert.equal((await flagstone.createFeature(body, bakery)).name, body.name);
  }
  const operations = [{ op: 'replace' as const, path: '/impressionData', value: true }];
  assert.equal((await flagstone.patchFeature(operations, of('oven-timer'))).impressionData, true);
  const list = await flagstone.getFeatures(bakery);
  assert.deepEqual(list.features.map((feature) => feature.name), ['oven-timer', 'sour-dough']);
  await flagstone.addFeatureDependency({ feature: 'oven-timer' }, of('sour-dough'));
  const queries = { project: 'IS:bakery', sortBy: 'name', status: ['production:disabled'] };
  const found = await flagstone.searchFeatures({ ...admin, queries });
  assert.deepEqual([found.total, found.features.map((one) => one.dependencyType)], [2, ['parent', 'child']]);
}

async function settings() {
  assert.deepEqual(await flagstone.getOidcSettings(admin), { enabled: false });
  const enabled = {
    enabled: true as const,
    clientId: 'flagstone',
    secret: 'kept to ourselves',
    discoverUrl: 'https://login.example.com',
  };
  await flagstone.setOidcSettings(enabled, admin);
  const stored = await flagstone.getOidcSettings(admin);
  assert.ok(stored.enabled);
  assert.equal(stored.secret?.length, 17);
  assert.deepEqual(await flagstone.setOidcSettings({ enabled: false }, admin), { enabled: false });
}

async function refusals() {
  const body = { name: 'sour-dough', type: 'release' };
  await assertRefused(flagstone.getProfile(as('wrong')), 401, 'AuthenticationRequired');
  const program = { ...bakery, ...as(process.env.FLAGSTONE_CLIENT_TOKEN!) };
  await assertRefused(flagstone.createFeature(body, program), 403, 'NoAccessError');
  await assertRefused(flagstone.createFeature(body, bakery), 409, 'NameExistsError');
  const nowhere = { ...admin, params: { projectId: 'nowhere' } };
  await assertRefused(flagstone.getProjectHealthReport(nowhere), 404, 'NotFoundError');
}

async function main() {
  for (const chapter of [features, settings, refusals]) await chapter();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
