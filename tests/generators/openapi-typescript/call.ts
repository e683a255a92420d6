// The story that every generated client plays, here with openapi-fetch on the types of openapi-typescript.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './client';

type Schemas = components['schemas'];

const baseUrl = process.env.FLAGSTONE_URL!;
const as = (token: string) => createClient<paths>({ baseUrl, headers: { Authorization: token } });
const admin = as(process.env.FLAGSTONE_ADMIN_TOKEN!);
const project = { projectId: 'bakery' };

/** What a successful call answered; a refusal ends the story. */
function answer<T>(result: { data?: T; error?: unknown }): T {
  assert.equal(result.error, undefined);
  assert.ok(result.data !== undefined);
  return result.data;
}

function assertRefused(result: { error?: Schemas['ApiError']; response: Response }, status: number, name: string) {
  assert.equal(result.response.status, status);
  assert.equal(result.error?.name, name);
  assert.match(result.error.id, /^[0-9a-f-]{36}$/);
}

async function features() {
  const profile = answer(await admin.GET('/api/admin/user/profile'));
  assert.equal(profile.rootRole.name, 'Admin');
  assert.deepEqual([profile.projects, profile.features], [[], []]);

  const created = answer(await admin.POST('/api/admin/projects', { body: { id: 'bakery', name: 'Bakery' } }));
  assert.deepEqual([created.id, created.description, created.featureLimit], ['bakery', undefined, undefined]);
  const path = '/api/admin/projects/{projectId}/features';
  const timer = answer(
    await admin.POST(path, {
      params: { path: project },
      body: { name: 'oven-timer', type: 'release', description: 'Rings when the bread is done' },
    }),
  );
  assert.equal(timer.description, 'Rings when the bread is done');
  assert.ok(Math.abs(Date.now() - Date.parse(timer.createdAt!)) < 60_000);
  assert.equal(timer.lifecycle?.stage, 'initial' satisfies Schemas['LifecycleStage']);
  assert.equal(timer.archivedAt, null);
  answer(await admin.POST(path, { params: { path: project }, body: { name: 'sour-dough', type: 'experiment' } }));

  const patched = answer(
    await admin.PATCH('/api/admin/projects/{projectId}/features/{featureName}', {
      params: { path: { ...project, featureName: 'oven-timer' } },
      body: [
        { op: 'replace', path: '/description', value: null },
        { op: 'replace', path: '/impressionData', value: true },
      ],
    }),
  );
  assert.deepEqual([patched.description, patched.impressionData], [null, true]);

  const list = answer(await admin.GET(path, { params: { path: project } }));
  assert.equal(list.version, 2);
  assert.deepEqual(list.features.map((feature) => feature.name), ['oven-timer', 'sour-dough']);
  assert.deepEqual(list.features[0].environments?.map((environment) => environment.enabled), [false, false]);
}

async function searches() {
  const query = { project: 'IS:bakery', sortBy: 'name', limit: '1', status: ['production:disabled'] };
  const found = answer(await admin.GET('/api/admin/search/features', { params: { query } }));
  assert.deepEqual([found.total, found.features.length], [2, 1]);
  const [timer] = found.features;
  assert.deepEqual([timer.name, timer.dependencyType, timer.segments, timer.environments[0].yes], ['oven-timer', null, [], 0]);
  assert.equal(timer.createdBy.id, -42);

  const events = answer(
    await admin.GET('/api/admin/search/events', {
      params: { query: { project: 'IS:bakery', type: 'IS:feature-created' } },
    }),
  );
  assert.equal(events.total, 2);
  const [latest] = events.events;
  assert.equal(latest.type, 'feature-created' satisfies Schemas['EventType']);
  assert.deepEqual([latest.featureName, latest.preData, latest.environment], ['sour-dough', null, null]);
  assert.equal((latest.data as { type?: string }).type, 'experiment');

  const old = answer(
    await admin.POST('/api/admin/events/search', { body: { type: 'project-created', project: 'bakery' } }),
  );
  assert.deepEqual([old.version, old.totalEvents, old.events[0].project], [1, 1, 'bakery']);
}

async function dependencies() {
  const child = { ...project, featureName: 'sour-dough' };
  const added = await admin.POST('/api/admin/projects/{projectId}/features/{featureName}/dependencies', {
    params: { path: child },
    body: { feature: 'oven-timer' },
  });
  assert.equal(added.response.status, 200);
  const query = { project: 'IS:bakery', sortBy: 'name' };
  const { features } = answer(await admin.GET('/api/admin/search/features', { params: { query } }));
  assert.deepEqual(features.map((one) => [one.name, one.dependencyType]), [['oven-timer', 'parent'], ['sour-dough', 'child']]);
}

async function reports() {
  const report = answer(
    await admin.GET('/api/admin/projects/{projectId}/health-report', { params: { path: project } }),
  );
  assert.deepEqual([report.mode, report.featureLimit, report.activeCount, report.health], ['open', null, 2, 100]);
  assert.deepEqual(report.featureNaming?.pattern, null);
  const overview = answer(await admin.GET('/api/admin/projects/{projectId}', { params: { path: project } }));
  assert.equal(overview.stats?.createdCurrentWindow, 2);
  assert.deepEqual(overview.environments?.map((one) => one.environment), ['development', 'production']);

  const findings = answer(
    await admin.POST('/api/admin/features-batch/validate', {
      body: {
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
    }),
  );
  assert.deepEqual(findings.errors.map((finding) => finding.affectedItems), [['proofing']]);
  assert.deepEqual(findings.warnings, []);

  const insights = answer(await admin.GET('/api/admin/dashboard/executive'));
  assert.deepEqual([insights.flags.total, insights.users.active], [2, 0]);
  assert.ok(Date.parse(insights.userTrends[0].date) > Date.now() - 60_000);
}

async function settings() {
  const oidc = '/api/admin/auth/oidc/settings';
  assert.deepEqual(answer(await admin.GET(oidc)), { enabled: false });
  const enabled: Schemas['OidcSettingsEnabled'] = {
    enabled: true,
    clientId: 'flagstone',
    secret: 'kept to ourselves',
    discoverUrl: 'https://login.example.com',
    defaultRootRole: 'Editor',
    defaultRootRoleId: 2,
    idTokenSigningAlgorithm: 'RS512',
  };
  assert.deepEqual(answer(await admin.POST(oidc, { body: enabled })), enabled);
  const stored = answer(await admin.GET(oidc));
  assert.ok(stored.enabled);
  // The type follows the switch: only the enabled variant is sure to have a secret.
  assert.equal(stored.secret.length, 17);
  const resting = { ...enabled, enabled: false as const };
  assert.deepEqual(answer(await admin.POST(oidc, { body: resting })), resting);
  assert.deepEqual(answer(await admin.POST(oidc, { body: { enabled: false } })), { enabled: false });

  const saml = '/api/admin/auth/saml/settings';
  const provider: Schemas['SamlSettingsEnabled'] = {
    enabled: true,
    entityId: 'flagstone',
    signOnUrl: 'https://login.example.com/saml',
    certificate: 'MIIBszCCARw',
    autoCreate: true,
  };
  assert.deepEqual(answer(await admin.POST(saml, { body: provider })), provider);
  const off = { enabled: false as const, entityId: 'flagstone' };
  assert.deepEqual(answer(await admin.POST(saml, { body: off })), off);
}

async function refusals() {
  const nobody = await as('wrong').GET('/api/admin/user/profile');
  assertRefused(nobody, 401, 'AuthenticationRequired');
  const body = { name: 'sour-dough', type: 'release' };
  const path = '/api/admin/projects/{projectId}/features';
  const program = await as(process.env.FLAGSTONE_CLIENT_TOKEN!).POST(path, { params: { path: project }, body });
  assertRefused(program, 403, 'NoAccessError');
  const twice = await admin.POST(path, { params: { path: project }, body });
  assertRefused(twice, 409, 'NameExistsError');
  const nowhere = await admin.GET('/api/admin/projects/{projectId}/health-report', {
    params: { path: { projectId: 'nowhere' } },
  });
  assertRefused(nowhere, 404, 'NotFoundError');
  const unknown = await admin.PATCH('/api/admin/projects/{projectId}/features/{featureName}', {
    params: { path: { ...project, featureName: 'oven-timer' } },
    body: [{ op: 'replace', path: '/colour', value: 'brown' }],
  });
  assertRefused(unknown, 400, 'ValidationError');
  assert.deepEqual(unknown.error?.details?.map((detail) => detail.path), ['/body/0/path']);
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
