import { reported } from './deviations.mjs';
import { moving } from './story/flags.mjs';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until a question has no complaints left; answers those that are left after so many seconds. */
export async function settle(seconds, ask) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const complaints = await ask();
    if (complaints.length === 0 || Date.now() > end) return complaints;
    await pause(500);
  }
}

/** Complaints about what the server knows of a library that has registered. */
export async function registration(admin, library) {
  const application = await admin.find(`/metrics/applications/${library.application}`);
  if (!application) return [`the server knows no application ${library.application}`];
  const complaints = [];
  const expect = (what, got, wanted) => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      complaints.push(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  };
  if (library.strategies) expect('strategies', [...application.strategies].sort(), [...library.strategies].sort());
  expect('usage', application.usage, [{ project: 'default', environments: ['development'] }]);
  const place = `/metrics/applications/${library.application}`;
  const overview = await admin.get(`${place}/overview`);
  expect('missing strategies', [...overview.issues.missingStrategies].sort(), library.missingStrategies ?? []);
  const [environment, ...others] = overview.environments;
  expect('environments', [environment?.name, ...others], ['development']);
  expect('running copies', environment?.instanceCount, 1);
  expect('SDKs', environment?.sdks, library.sdk ? [library.sdk] : []);
  const { instances } = await admin.get(`/metrics/instances/${library.application}/environment/development`);
  const known = instances.map((instance) => [instance.instanceId, instance.sdkVersion]);
  expect('instances', known, [[library.instance, library.sdk ?? null]]);
  return complaints;
}

/** Complaints about flags that were asked for and do not show it. */
export async function signsOfLife(admin) {
  const flag = await admin.get('/projects/default/features/switch.on');
  const { lastSeenAt } = flag.environments.find((environment) => environment.name === 'development');
  const stage = flag.lifecycle.stage === 'pre-live' ? [] : [`switch.on is in the stage ${flag.lifecycle.stage}`];
  return lastSeenAt ? stage : [...stage, 'switch.on has never been seen in development'];
}

/** Evaluations that the server has counted, by application and flag. */
async function counted(admin, flag) {
  const answer = await admin.find(`/client-metrics/features/${encodeURIComponent(flag)}/raw`);
  const sums = new Map();
  for (const { appName, environment, yes, no, variants } of answer?.data ?? []) {
    const sum = sums.get(appName) ?? { yes: 0, no: 0, variants: {}, environments: new Set() };
    sum.yes += yes;
    sum.no += no;
    for (const [variant, count] of Object.entries(variants ?? {}))
      sum.variants[variant] = (sum.variants[variant] ?? 0) + count;
    sums.set(appName, { ...sum, environments: sum.environments.add(environment) });
  }
  return sums;
}

/** Complaints by library about the server's counts, which should be those of the programs. */
export async function miscounts(admin, running, kept) {
  const complaints = new Map(running.map(({ library }) => [library, []]));
  const flags = new Set(running.flatMap(({ program }) => Object.keys(program.counted ?? {})));
  // What it counted last may come when the flag is no longer in use.
  flags.delete(moving.goes.name);
  await Promise.all(
    [...flags].map(async (flag) => {
      const sums = await counted(admin, flag);
      for (const { library, program } of running) {
        const got = counts(sums.get(library.application));
        const own = kept(flag) ? program.counted?.[flag] : undefined;
        const wanted = counts(own && reported(library, flag, own));
        if (got !== wanted) complaints.get(library).push(`${flag}: the server counted ${got}, the program ${wanted}`);
      }
    }),
  );
  return complaints;
}

function counts(sum) {
  if (!sum) return 'nothing';
  const variants = Object.entries(sum.variants)
    .sort()
    .map(([variant, count]) => `${variant} ${count}`);
  return [`yes ${sum.yes}`, `no ${sum.no}`, ...variants].join(', ');
}
