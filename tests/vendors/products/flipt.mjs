// Flipt: made-up exports, judged by its own engine for clients, which its server would send the same flags in other words.

import { FliptClient } from '@flipt-io/flipt-client-js';

import { fields, users } from '../world.mjs';

const at = '2026-01-01T00:00:00Z';

function constraint(chance) {
  const made = (type, property, operator, value) => ({ type, property, operator, ...(value !== undefined && { value }) });
  if (chance.often(0.2)) {
    return made('ENTITY_ID_COMPARISON_TYPE', 'entityId', chance.one(['isoneof', 'isnotoneof']), JSON.stringify(chance.some(users, 3)));
  }
  const name = chance.one(Object.keys(fields));
  const { kind, values } = fields[name];
  if (kind === 'truth') return made('BOOLEAN_COMPARISON_TYPE', name, chance.one(['true', 'false']));
  if (kind === 'number') {
    return made('NUMBER_COMPARISON_TYPE', name, chance.one(['eq', 'neq', 'lt', 'lte', 'gt', 'gte']), String(chance.one([5, 17, 18])));
  }
  const text = (operator, value) => made('STRING_COMPARISON_TYPE', name, operator, value);
  return chance.one([
    () => text('eq', chance.one(values)),
    () => text('neq', chance.one(values)),
    () => text('prefix', chance.one(values).slice(0, 1)),
    () => text('suffix', chance.one(values).slice(-2)),
    () => text('contains', chance.one(values).slice(0, 2)),
    () => text('notcontains', chance.one(values).slice(0, 1)),
    () => text('isoneof', JSON.stringify(chance.some(values, 3))),
    () => text('isnotoneof', JSON.stringify(chance.some(values, 3))),
    () => text(chance.one(['empty', 'notempty'])),
  ])();
}

const variants = [{ key: 'red', name: 'Red' }, { key: 'blue', name: 'Blue', attachment: { hex: '#00f', weights: [1, 2] } }];

function ruleSegment(chance, segments) {
  const keys = chance.some(segments, 2).map(({ key }) => key);
  return { keys, operator: chance.one(['OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR']) };
}

function flag(chance, segments, number) {
  const key = `flag-${number}`;
  const count = 1 + chance.below(3);
  if (number % 2 === 0) {
    const rollouts = Array.from({ length: count }, () => ({ segment: { ...ruleSegment(chance, segments), value: chance.often(0.7) } }));
    return { key, name: key, type: 'BOOLEAN_FLAG_TYPE', enabled: chance.often(0.3), rollouts };
  }
  const rules = Array.from({ length: count }, () => ({
    segment: ruleSegment(chance, segments),
    distributions: [{ variant: chance.one(variants).key, rollout: 100 }],
  }));
  const own = variants.map((it) => ({ ...it, ...(number % 3 === 0 && it.key === 'red' && { default: true }) }));
  return { key, name: key, type: 'VARIANT_FLAG_TYPE', enabled: chance.often(0.9), variants: own, rules };
}

/** What its server tells clients of a namespace. */
function told(file) {
  let id = 0;
  const next = () => String((id += 1));
  const renamed = (type) => type.replace('_COMPARISON_TYPE', '_CONSTRAINT_COMPARISON_TYPE');
  const segments = new Map(file.segments.map(({ key, match_type: match, constraints }) => [key, {
    key, name: key, description: '', createdAt: at, updatedAt: at, matchType: match.replace('_MATCH', '_SEGMENT_MATCH'),
    constraints: constraints.map((it) => ({ id: next(), value: '', ...it, type: renamed(it.type) })),
  }]));
  const audience = ({ keys, operator }) => ({ segmentOperator: operator, segments: keys.map((key) => segments.get(key)) });
  const flags = file.flags.map(({ key, type, enabled, rules = [], rollouts = [], variants: own = [] }) => {
    const given = (name) => {
      const { attachment } = own.find((it) => it.key === name);
      return { id: name, key: name, attachment: attachment ? JSON.stringify(attachment) : '' };
    };
    const initial = own.find((it) => it.default);
    return {
      key, name: key, description: '', enabled, type, createdAt: at, updatedAt: at,
      ...(initial && { defaultVariant: given(initial.key) }),
      rules: rules.map(({ segment, distributions }, rank) => {
        const ruleId = next();
        const parts = distributions.map(({ variant, rollout }) => ({
          id: next(), ruleId, variantId: variant, variantKey: variant, variantAttachment: given(variant).attachment, rollout,
        }));
        return { id: ruleId, rank: rank + 1, ...audience(segment), distributions: parts };
      }),
      rollouts: rollouts.map(({ segment, threshold }, rank) => (segment
        ? { type: 'SEGMENT_ROLLOUT_TYPE', rank: rank + 1, segment: { value: segment.value, ...audience(segment) } }
        : { type: 'THRESHOLD_ROLLOUT_TYPE', rank: rank + 1, threshold })),
    };
  });
  return { namespace: { key: 'default' }, digest: 'one', flags };
}

async function make(chance) {
  const segments = Array.from({ length: 12 }, (_, number) => ({
    key: `segment-${number}`, name: `segment-${number}`,
    match_type: chance.one(['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE']),
    constraints: Array.from({ length: 1 + chance.below(3) }, () => constraint(chance)),
  }));
  const flags = Array.from({ length: 60 }, (_, number) => flag(chance, segments, number));
  const everybody = { key: 'everybody', name: 'everybody', match_type: 'ALL_MATCH_TYPE', constraints: [] };
  const distributions = [{ variant: 'red', rollout: 33.33 }, { variant: 'blue', rollout: 66.67 }];
  const shared = [
    { key: 'share-0', name: 'share-0', type: 'BOOLEAN_FLAG_TYPE', enabled: false, rollouts: [{ threshold: { percentage: 30, value: true } }] },
    { key: 'share-1', name: 'share-1', type: 'VARIANT_FLAG_TYPE', enabled: true, variants, rules: [{ segment: { keys: ['everybody'], operator: 'OR_SEGMENT_OPERATOR' }, distributions }] },
  ];
  const file = { version: '1.4', namespace: { key: 'default', name: 'Default' }, flags: [...flags, ...shared], segments: [...segments, everybody] };
  const kinds = new Map(file.flags.map(({ key, type }) => [key, type]));
  const snapshot = JSON.stringify(told(file));
  const fetcher = async () => new Response(snapshot, { status: 200, headers: { etag: 'one' } });
  const client = await FliptClient.init({ namespace: 'default', updateInterval: 0, fetcher });
  const theirs = async (key, { user, fields: given }) => {
    const context = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    const asked = { flagKey: key, entityId: user, context };
    if (kinds.get(key) === 'BOOLEAN_FLAG_TYPE') return client.evaluateBoolean(asked).enabled || undefined;
    const { variantKey, variantAttachment } = client.evaluateVariant(asked);
    if (!variantKey) return undefined;
    return variantAttachment ? JSON.parse(variantAttachment) : variantKey;
  };
  return { file, names: flags.map(({ key }) => key), shares: shared.map(({ key }) => key), theirs };
}

export default { format: 'flipt', make };
