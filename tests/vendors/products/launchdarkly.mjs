// LaunchDarkly: made-up answers of its API, judged by its server SDK on the same flags in the form that the SDK reads.

import { init, integrations } from '@launchdarkly/node-server-sdk';

import { fields, users } from '../world.mjs';

function clause(chance, segments) {
  const made = (attribute, op, values) => ({ attribute, op, values, negate: chance.often(0.25), contextKind: 'user' });
  if (chance.often(0.15)) return { ...made('segmentMatch', 'segmentMatch', chance.some(segments, 2)), negate: chance.often(0.15) };
  if (chance.often(0.15)) return made('key', 'in', chance.some(users, 3));
  const name = chance.one(Object.keys(fields));
  const { kind, values } = fields[name];
  if (kind === 'truth') return made(name, 'in', [true]);
  if (kind === 'number') {
    return chance.often(0.3) ? made(name, 'in', chance.some(values, 2))
      : made(name, chance.one(['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual']), chance.some([5, 17, 18], 2));
  }
  if (kind === 'version') return made(name, chance.one(['semVerEqual', 'semVerLessThan', 'semVerGreaterThan']), [chance.one(values)]);
  if (chance.often(0.1)) return { ...made(name, 'matches', ['^[A-F]', 'org$']), negate: false };
  return made(name, chance.one(['in', 'startsWith', 'endsWith', 'contains']), chance.some([...values, 'C', 'com', 'e'], 2));
}

const clauses = (chance, segments) => Array.from({ length: 1 + chance.below(2) }, () => clause(chance, segments));

/** A flag as the SDK reads it. */
function forSdk(flag) {
  const state = flag.environments.production;
  return { key: flag.key, version: 1, variations: flag.variations.map(({ value }) => value), ...state };
}

async function make(chance) {
  const segments = ['first', 'second', 'third'].map((key) => ({
    key, name: key, version: 1, salt: key, deleted: false, includedContexts: [], excludedContexts: [],
    included: chance.some(users, 2), excluded: chance.some(users, 2),
    rules: [{ clauses: clauses(chance, []).filter(({ op }) => op !== 'segmentMatch' && op !== 'matches') }],
    _links: { self: { href: `/api/v2/segments/shop/production/${key}` } },
  }));
  const keys = segments.map(({ key }) => key);
  const items = [];
  const [names, shares] = [[], []];
  const add = (key, boolean, state) => {
    const values = boolean ? [true, false] : ['r', 'g', 'b'];
    items.push({
      key, kind: boolean ? 'boolean' : 'multivariate', variations: values.map((value) => ({ value })), tags: [],
      environments: { production: {
        on: true, offVariation: boolean ? 1 : 2, salt: key, rules: [], targets: [], contextTargets: [], prerequisites: [], ...state,
      } },
    });
  };
  for (let number = 0; number < 60; number += 1) {
    const boolean = number % 2 === 0;
    const variation = () => chance.below(boolean ? 2 : 3);
    const rules = Array.from({ length: 1 + chance.below(3) }, (_, place) => ({
      id: `${number}-${place}`, clauses: clauses(chance, keys), variation: variation(),
    }));
    const targets = chance.often(0.3) ? [{ values: chance.some(users, 2), variation: variation(), contextKind: 'user' }] : [];
    const prerequisites = number > 50 ? [{ key: 'parent', variation: 0 }] : [];
    names.push(`flag-${number}`);
    add(`flag-${number}`, boolean, { rules, targets, prerequisites, fallthrough: { variation: variation() }, on: chance.often(0.95) });
  }
  add('parent', true, {
    rules: [{ id: 'p', clauses: [{ attribute: 'country', op: 'in', values: ['CH', 'US'], negate: false, contextKind: 'user' }], variation: 0 }],
    fallthrough: { variation: 1 },
  });
  names.push('parent');
  for (let number = 1; number < 4; number += 1) {
    shares.push(`share-${number}`);
    const boolean = number !== 2;
    const weights = boolean ? [20_000 * number, 100_000 - 20_000 * number] : [20_000, 30_000, 50_000];
    add(`share-${number}`, boolean, { fallthrough: { rollout: { contextKind: 'user', variations: weights.map((weight, variation) => ({ weight, variation })) } } });
  }
  const data = new integrations.TestData();
  for (const flag of items) await data.usePreconfiguredFlag(forSdk(flag));
  for (const segment of segments) await data.usePreconfiguredSegment(segment);
  const logger = { error() {}, warn() {}, info() {}, debug() {} };
  const client = init('sdk-none', { updateProcessor: data.getFactory(), sendEvents: false, diagnosticOptOut: true, logger });
  await client.waitForInitialization({ timeout: 60 });
  const theirs = (key, { user, fields: given }) => client.variation(key, { kind: 'user', key: user, ...given }, undefined);
  const nothing = (key) => (items.find((it) => it.key === key).kind === 'multivariate' ? 'b' : undefined);
  return { file: { items: [...items, ...segments] }, names, shares, theirs, nothing };
}

export default { format: 'launchdarkly', make };
