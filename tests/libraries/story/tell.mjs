import { fields, ownStrategy, segments } from './fields.mjs';
import { groups, moving } from './flags.mjs';

const home = 'development';
const features = '/projects/default/features';

/** Makes everything that the story speaks of, as a team would over the API; answers the ids of the segments. */
export async function tell(admin) {
  await admin.post('/strategies', ownStrategy);
  for (const field of fields) await admin.post('/context', field);
  const ids = {};
  for (const [name, constraints] of Object.entries(segments)) {
    ids[name] = (await admin.post('/segments', { name, constraints })).id;
  }
  const flags = [...Object.values(groups).flat(), ...Object.values(moving)].filter((flag) => !flag.missing);
  for (const flag of flags) await make(admin, flag, ids);
  for (const flag of flags) {
    for (const dependency of flag.dependencies ?? []) await admin.post(`${at(flag)}/dependencies`, dependency);
  }
  return ids;
}

async function make(admin, flag, segmentIds) {
  const environment = flag.environment ?? home;
  await admin.post(features, { name: flag.name, type: 'release', impressionData: flag.impressionData ?? false });
  for (const strategy of flag.strategies) {
    const ids = strategy.segments?.map((name) => segmentIds[name]);
    await admin.post(`${at(flag)}/environments/${environment}/strategies`, {
      ...strategy,
      ...(ids && { segments: ids }),
    });
  }
  if (flag.variants) await admin.put(`${at(flag)}/variants`, flag.variants);
  if (!flag.off) await admin.post(`${at(flag)}/environments/${environment}/on`);
  if (flag.stale) await admin.post('/projects/default/stale', { features: [flag.name], stale: true });
  if (flag.archived) await admin.delete(at(flag));
}

const at = (flag) => `${features}/${encodeURIComponent(flag.name)}`;

/** The changes while programs run. */
export async function move(admin, segmentIds) {
  await admin.post(`${at(moving.appears)}/environments/${home}/on`);
  await admin.delete(at(moving.goes));
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['nobody'], inverted: true }];
  await admin.put(`/segments/${segmentIds.moving}`, { name: 'moving', constraints });
}
