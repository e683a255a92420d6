// The features that every program of the ecosystem is asked about, and the answers that it must give.

/** Feature by name: the strategy that it has where it is enabled, and its variant. */
const features = {
  'field.everyone': {},
  'field.nobody': { off: true },
  'field.seven': { constraints: [{ contextName: 'userId', operator: 'IN', values: ['7'] }] },
  'field.text': { variant: { name: 'blue', payload: { type: 'string', value: '#00f' } } },
  'field.number': { variant: { name: 'answer', payload: { type: 'number', value: '42' } } },
  'field.json': { variant: { name: 'limits', payload: { type: 'json', value: '{"seats":[1,2]}' } } },
  'field.moving': { off: true },
};

/** Answers by feature and user: whether it is enabled, or the value of its variant. */
export const answers = {
  'field.everyone for 7': true,
  'field.nobody for 7': false,
  'field.seven for 7': true,
  'field.seven for 8': false,
  'field.text for 7': '#00f',
  'field.number for 7': 42,
  'field.json for 7': { seats: [1, 2] },
  'field.moving for 7': false,
  'field.missing for 7': false,
};

const of = (name) => `/projects/default/features/${name}`;

/** Makes the features, enabled in the environment that the tokens are for. */
export async function make(admin) {
  for (const [name, { constraints = [], variant, off }] of Object.entries(features)) {
    await admin.post('/projects/default/features', { name });
    const parameters = { rollout: '100', stickiness: 'default', groupId: name };
    const strategy = { name: 'flexibleRollout', parameters, constraints };
    await admin.post(`${of(name)}/environments/development/strategies`, strategy);
    // Of the feature, not of its strategy: the library for Ruby is older than those.
    const variants = variant ? [{ ...variant, weight: 1000, weightType: 'variable', stickiness: 'default' }] : [];
    await admin.put(`${of(name)}/environments/development/variants`, variants);
    if (!off) await admin.post(`${of(name)}/environments/development/on`);
  }
}

/** Enables the feature whose change every program must learn of. */
export const move = (admin) => admin.post(`${of('field.moving')}/environments/development/on`);

/** Evaluations of a feature that the server has counted, by application. */
export async function counted(admin, feature) {
  const sums = new Map();
  const { data } = await admin.get(`/client-metrics/features/${feature}/raw`);
  for (const { appName, yes, no } of data) {
    const [before, below] = sums.get(appName) ?? [0, 0];
    sums.set(appName, [before + yes, below + no]);
  }
  return sums;
}
