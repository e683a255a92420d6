// The story that every generated client plays, here with the functions that orval writes around fetch.
import assert from 'node:assert/strict';
import * as flagstone from './client';
import type { ApiError, LifecycleStage, OidcSettingsEnabled, SamlSettingsEnabled } from './client.schemas';

// The functions ask for paths, as in a page of the same host.
const { fetch: real } = globalThis;
globalThis.fetch = (path, options) => real(`${process.env.FLAGSTONE_URL}${path}`, options);

const as = (token: string) => ({ headers: { Authorization: token } });
const admin = as(process.env.FLAGSTONE_ADMIN_TOKEN!);

function assertRefused(answer: { status: number; data: unknown }, status: number, name: string): ApiError {
  assert.equal(answer.status, status);
  const error = answer.data as ApiError;
  assert.equal(error.name, name);
  assert.match(error.id, /^[0-9a-f-]{36}$/);
  return error;
}

async function features() {
  const profile = await flagstone.getProfile(admin);
  assert.ok(profile.status === 200);
  assert.equal(profile.data.rootRole.name, 'Admin');
  assert.deepEqual([profile.data.projects, profile.data.features], [[], []]);

  const created = await flagstone.createProject({ id: 'bakery', name: 'Bakery' }, admin);
  assert.ok(created.status === 201);
  assert.deepEqual([created.data.id, created.data.description, created.data.featureLimit], ['bakery', undefined, undefined]);
  const timer = await flagstone.createFeature(
    'bakery',
    { name: 'oven-timer', type: 'release', description: 'Rings when the bread is done' },
    admin,
  );
  assert.ok(timer.status === 201);
  assert.equal(timer.data.description, 'Rings when the bread is done');
  assert.ok(Math.abs(Date.now() - Date.parse(timer.data.createdAt!)) < 60_000);
  assert.equal(timer.data.lifecycle?.stage, 'initial' satisfies LifecycleStage);
  assert.equal(timer.data.archivedAt, null);
  const second = await flagstone.createFeature('bakery', { name: 'sour-dough', type: 'experiment' }, admin);
  assert.equal(second.status, 201);

  const patched = await flagstone.patchFeature(
    'bakery',
    'oven-timer',
    [
      { op: 'replace', path: '/description', value: null },
      { op: 'replace', path: '/impressionData', value: true },
    ],
    admin,
  );
  assert.ok(patched.status === 200);
  assert.deepEqual([patched.data.description, patched.data.impressionData], [null, true]);

  const list = await flagstone.getFeatures('bakery', {}, admin);
  assert.ok(list.status === 200);
  assert.equal(list.data.version, 2);
  assert.deepEqual(list.data.features.map((feature) => feature.name), ['oven-timer', 'sour-dough']);
  assert.deepEqual(list.data.features[0].environments?.map((environment) => environment.enabled), [false, false]);
}

async function searches() {
  const query = { project: 'IS:bakery', sortBy: 'name', limit: '1', status: ['production:disabled'] };
  const found = await flagstone.searchFeatures(query, admin);
  assert.ok(found.status === 200);
  assert.deepEqual([found.data.total, found.data.features.length], [2, 1]);
  const [timer] = found.data.features;
  assert.deepEqual([timer.name, timer.dependencyType, timer.segments, timer.environments[0].yes], ['oven-timer', null, [], 0]);
  assert.equal(timer.createdBy.id, -42);

  const events = await flagstone.searchEvents({ project: 'IS:bakery', type: 'IS:feature-created' }, admin);
  assert.ok(events.status === 200);
  assert.equal(events.data.total, 2);
  const [latest] = events.data.events;
  assert.deepEqual([latest.type, latest.featureName, latest.preData], ['feature-created', 'sour-dough', null]);
  assert.equal((latest.data as { type?: string }).type, 'experiment');

  const old = await flagstone.deprecatedSearchEvents({ type: 'project-created', project: 'bakery' }, admin);
  assert.ok(old.status === 200);
  assert.deepEqual([old.data.version, old.data.totalEvents, old.data.events[0].project], [1, 1, 'bakery']);
}

async function dependencies() {
  const added = await flagstone.addFeatureDependency('bakery', 'sour-dough', { feature: 'oven-timer' }, admin);
  assert.equal(added.status, 200);
  const found = await flagstone.searchFeatures({ project: 'IS:bakery', sortBy: 'name' }, admin);
  assert.ok(found.status === 200);
  const types = found.data.features.map((one) => [one.name, one.dependencyType]);
  assert.deepEqual(types, [['oven-timer', 'parent'], ['sour-dough', 'child']]);
}

async function reports() {
  const report = await flagstone.getProjectHealthReport('bakery', admin);
  assert.ok(report.status === 200);
  const { mode, featureLimit, activeCount, health } = report.data;
  assert.deepEqual([mode, featureLimit, activeCount, health], ['open', null, 2, 100]);
  assert.equal(report.data.featureNaming?.pattern, null);
  const overview = await flagstone.getDeprecatedProjectOverview('bakery', {}, admin);
  assert.ok(overview.status === 200);
  assert.equal(overview.data.stats?.createdCurrentWindow, 2);
  assert.deepEqual(overview.data.environments?.map((one) => one.environment), ['development', 'production']);

  const findings = await flagstone.validateImport(
    {
      project: 'bakery',
      environment: 'development',
      data: {
        features: [{ name: 'rye', createdAt: '2026-01-02T03:04:05.000Z', description: null }],
        featureStrategies: [
          {
            name: 'proofing',
            featureName: 'rye',
            constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['@example.com'] }],
          },
        ],
        tagTypes: [],
      },
    },
    admin,
  );
  assert.ok(findings.status === 200);
  assert.deepEqual(findings.data.errors.map((finding) => finding.affectedItems), [['proofing']]);
  assert.deepEqual(findings.data.warnings, []);

  const insights = await flagstone.getInstanceInsights(admin);
  assert.ok(insights.status === 200);
  assert.deepEqual([insights.data.flags.total, insights.data.users.active], [2, 0]);
  assert.ok(Date.parse(insights.data.userTrends[0].date) > Date.now() - 60_000);
}

async function settings() {
  const first = await flagstone.getOidcSettings({}, admin);
  assert.deepEqual(first.data, { enabled: false });
  const enabled: OidcSettingsEnabled = {
    enabled: true,
    clientId: 'flagstone',
    secret: 'kept to ourselves',
    discoverUrl: 'https://login.example.com',
    defaultRootRole: 'Editor',
    defaultRootRoleId: 2,
    idTokenSigningAlgorithm: 'RS512',
  };
  const set = await flagstone.setOidcSettings(enabled, {}, admin);
  assert.deepEqual(set.data, enabled);
  const stored = await flagstone.getOidcSettings({}, admin);
  assert.ok(stored.status === 200);
  assert.ok(stored.data.enabled);
  // The type follows the switch: only the enabled variant is sure to have a secret.
  assert.equal(stored.data.secret.length, 17);
  const resting = { ...enabled, enabled: false as const };
  assert.deepEqual((await flagstone.setOidcSettings(resting, {}, admin)).data, resting);
  assert.deepEqual((await flagstone.setOidcSettings({ enabled: false }, {}, admin)).data, { enabled: false });

  const provider: SamlSettingsEnabled = {
    enabled: true,
    entityId: 'flagstone',
    signOnUrl: 'https://login.example.com/saml',
    certificate: 'MIIBszCCARw',
    autoCreate: true,
  };
  assert.deepEqual((await flagstone.setSamlSettings(provider, {}, admin)).data, provider);
  const off = { enabled: false as const, entityId: 'flagstone' };
  assert.deepEqual((await flagstone.setSamlSettings(off, {}, admin)).data, off);
}

async function refusals() {
  assertRefused(await flagstone.getProfile(as('wrong')), 401, 'AuthenticationRequired');
  const feature = { name: 'sour-dough', type: 'release' };
  const program = as(process.env.FLAGSTONE_CLIENT_TOKEN!);
  assertRefused(await flagstone.createFeature('bakery', feature, program), 403, 'NoAccessError');
  assertRefused(await flagstone.createFeature('bakery', feature, admin), 409, 'NameExistsError');
  assertRefused(await flagstone.getProjectHealthReport('nowhere', admin), 404, 'NotFoundError');
  const unknown = [{ op: 'replace' as const, path: '/colour', value: 'brown' }];
  const error = assertRefused(await flagstone.patchFeature('bakery', 'oven-timer', unknown, admin), 400, 'ValidationError');
  assert.deepEqual(error.details?.map((detail) => detail.path), ['/body/0/path']);
}

async function main() {
  for (const chapter of [features, searches, dependencies, reports, settings, refusals]) {
    await chapter();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
