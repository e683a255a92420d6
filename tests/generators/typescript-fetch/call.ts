// The story that every generated client plays, here with the classes of openapi-generator's typescript-fetch.
import assert from 'node:assert/strict';
import * as flagstone from './client';

const as = (token: string) => new flagstone.Configuration({ basePath: process.env.FLAGSTONE_URL, apiKey: token });
const admin = as(process.env.FLAGSTONE_ADMIN_TOKEN!);
const projectId = 'bakery';

async function assertRefused(call: Promise<unknown>, status: number, name: string): Promise<flagstone.ApiError> {
  const refusal = await call.then(() => assert.fail('not refused'), (error: unknown) => error);
  assert.ok(refusal instanceof flagstone.ResponseError, String(refusal));
  assert.equal(refusal.response.status, status);
  const error = flagstone.ApiErrorFromJSON(await refusal.response.json());
  assert.equal(error.name, name);
  assert.match(error.id, /^[0-9a-f-]{36}$/);
  return error;
}

async function features() {
  const profile = await new flagstone.ProfileApi(admin).getProfile();
  assert.equal(profile.rootRole.name, 'Admin');
  assert.deepEqual([profile.projects, profile.features], [[], []]);

  const created = await new flagstone.ProjectsApi(admin).createProject({ createProject: { id: projectId, name: 'Bakery' } });
  assert.deepEqual([created.id, created.description, created.featureLimit], [projectId, undefined, undefined]);
  const api = new flagstone.FeaturesApi(admin);
  const timer = await api.createFeature({
    projectId,
    createFeature: { name: 'oven-timer', type: 'release', description: 'Rings when the bread is done' },
  });
  assert.equal(timer.description, 'Rings when the bread is done');
  assert.ok(Math.abs(Date.now() - timer.createdAt!.getTime()) < 60_000);
  assert.equal(timer.lifecycle?.stage, flagstone.LifecycleStage.Initial);
  assert.equal(timer.archivedAt, null);
  await api.createFeature({ projectId, createFeature: { name: 'sour-dough', type: 'experiment' } });

  const patched = await api.patchFeature({
    projectId,
    featureName: 'oven-timer',
    patchOperation: [
      { op: flagstone.PatchVerb.Replace, path: '/description', value: null },
      { op: flagstone.PatchVerb.Replace, path: '/impressionData', value: true },
    ],
  });
  assert.deepEqual([patched.description, patched.impressionData], [null, true]);

  const list = await api.getFeatures({ projectId });
  assert.equal(list.version, 2);
  assert.deepEqual(list.features.map((feature) => feature.name), ['oven-timer', 'sour-dough']);
  assert.deepEqual(list.features[0].environments?.map((environment) => environment.enabled), [false, false]);
}

async function searches() {
  const api = new flagstone.SearchApi(admin);
  const found = await api.searchFeatures({
    project: 'IS:bakery',
    sortBy: 'name',
    limit: '1',
    status: ['production:disabled'],
  });
  assert.deepEqual([found.total, found.features.length], [2, 1]);
  const [timer] = found.features;
  assert.deepEqual([timer.name, timer.dependencyType, timer.segments, timer.environments[0].yes], ['oven-timer', null, [], 0]);
  assert.equal(timer.createdBy.id, -42);

  const events = await api.searchEvents({ project: 'IS:bakery', type: 'IS:feature-created' });
  assert.equal(events.total, 2);
  const [latest] = events.events;
  assert.equal(latest.type, flagstone.EventType.FeatureCreated);
  assert.deepEqual([latest.featureName, latest.preData, latest.environment], ['sour-dough', null, null]);
  assert.equal((latest.data as { type?: string }).type, 'experiment');

  const old = await new flagstone.EventsApi(admin).deprecatedSearchEvents({
    eventSearch: { type: flagstone.EventType.ProjectCreated, project: projectId },
  });
  assert.deepEqual([old.version, old.totalEvents, old.events[0].project], [1, 1, projectId]);
}

async function dependencies() {
  await new flagstone.DependenciesApi(admin).addFeatureDependency({
    projectId,
    featureName: 'sour-dough',
    addFeatureDependency: { feature: 'oven-timer' },
  });
  const found = await new flagstone.SearchApi(admin).searchFeatures({ project: 'IS:bakery', sortBy: 'name' });
  const types = found.features.map((one) => [one.name, one.dependencyType]);
  assert.deepEqual(types, [['oven-timer', 'parent'], ['sour-dough', 'child']]);
}

async function reports() {
  const api = new flagstone.ProjectsApi(admin);
  const report = await api.getProjectHealthReport({ projectId });
  const { mode, featureLimit, activeCount, health } = report;
  assert.deepEqual([mode, featureLimit, activeCount, health], [flagstone.ProjectMode.Open, null, 2, 100]);
  assert.equal(report.featureNaming?.pattern, null);
  const overview = await api.getDeprecatedProjectOverview({ projectId });
  assert.equal(overview.stats?.createdCurrentWindow, 2);
  assert.deepEqual(overview.environments?.map((one) => one.environment), ['development', 'production']);

  const findings = await new flagstone.ImportExportApi(admin).validateImport({
    importRequest: {
      project: projectId,
      environment: 'development',
      data: {
        features: [{ name: 'rye', createdAt: new Date('2026-01-02T03:04:05.000Z'), description: null }],
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
  });
  assert.deepEqual(findings.errors.map((finding) => finding.affectedItems), [['proofing']]);
  assert.deepEqual(findings.warnings, []);

  const insights = await new flagstone.InstanceApi(admin).getInstanceInsights();
  assert.deepEqual([insights.flags.total, insights.users.active], [2, 0]);
  assert.ok(insights.userTrends[0].date.getTime() > Date.now() - 60_000);
}

async function settings() {
  const api = new flagstone.AuthenticationApi(admin);
  assert.equal((await api.getOidcSettings()).enabled, false);
  const enabled: flagstone.OidcSettingsEnabled = {
    enabled: true,
    clientId: 'flagstone',
    secret: 'kept to ourselves',
    discoverUrl: 'https://login.example.com',
    defaultRootRole: flagstone.RootRole.Editor,
    defaultRootRoleId: 2,
    idTokenSigningAlgorithm: flagstone.SigningAlgorithm.Rs512,
  };
  const given = ({ ...settings }: flagstone.OidcSettings | flagstone.SamlSettings) =>
    Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  assert.deepEqual(given(await api.setOidcSettings({ oidcSettings: enabled })), enabled);
  const stored = await api.getOidcSettings();
  assert.deepEqual(given(stored), enabled);
  assert.equal(stored.secret?.length, 17);
  const resting: flagstone.OidcSettingsDisabled = { ...enabled, enabled: false };
  assert.deepEqual(given(await api.setOidcSettings({ oidcSettings: resting })), resting);
  assert.deepEqual(given(await api.setOidcSettings({ oidcSettings: { enabled: false } })), { enabled: false });

  const provider: flagstone.SamlSettingsEnabled = {
    enabled: true,
    entityId: 'flagstone',
    signOnUrl: 'https://login.example.com/saml',
    certificate: 'MIIBszCCARw',
    autoCreate: true,
  };
  assert.deepEqual(given(await api.setSamlSettings({ samlSettings: provider })), provider);
  const off: flagstone.SamlSettingsDisabled = { enabled: false, entityId: 'flagstone' };
  assert.deepEqual(given(await api.setSamlSettings({ samlSettings: off })), off);
}

async function refusals() {
  await assertRefused(new flagstone.ProfileApi(as('wrong')).getProfile(), 401, 'AuthenticationRequired');
  const feature = { projectId, createFeature: { name: 'sour-dough', type: 'release' } };
  const program = as(process.env.FLAGSTONE_CLIENT_TOKEN!);
  await assertRefused(new flagstone.FeaturesApi(program).createFeature(feature), 403, 'NoAccessError');
  const api = new flagstone.FeaturesApi(admin);
  await assertRefused(api.createFeature(feature), 409, 'NameExistsError');
  const nowhere = new flagstone.ProjectsApi(admin).getProjectHealthReport({ projectId: 'nowhere' });
  await assertRefused(nowhere, 404, 'NotFoundError');
  const error = await assertRefused(
    api.patchFeature({
      projectId,
      featureName: 'oven-timer',
      patchOperation: [{ op: flagstone.PatchVerb.Replace, path: '/colour', value: 'brown' }],
    }),
    400,
    'ValidationError',
  );
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
