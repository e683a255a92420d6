// Flagsmith: made-up environment documents, judged by its own library without a server.

import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { Flagsmith, LocalFileHandler } from 'flagsmith-nodejs';

import { fields, users } from '../world.mjs';

function condition(chance) {
  const name = chance.one(Object.keys(fields));
  const { kind, values } = fields[name];
  const made = (operator, value) => ({ property_: name, operator, value: String(value) });
  if (kind === 'truth') return made('EQUAL', 'true');
  if (kind === 'number') {
    return made(chance.one(['GREATER_THAN', 'GREATER_THAN_INCLUSIVE', 'LESS_THAN', 'LESS_THAN_INCLUSIVE', 'EQUAL', 'NOT_EQUAL']), chance.one([5, 17, 18]));
  }
  if (kind === 'version') return made(chance.one(['GREATER_THAN', 'LESS_THAN', 'EQUAL']), `${chance.one(values)}:semver`);
  return chance.one([
    () => made('EQUAL', chance.one(values)),
    () => made('NOT_EQUAL', chance.one(values)),
    () => made('CONTAINS', chance.one(values).slice(0, 2)),
    () => made('NOT_CONTAINS', chance.one(values).slice(0, 1)),
    () => made('IN', chance.some(values, 3).join(',')),
    () => made('IS_SET', ''),
    () => made('REGEX', chance.one(['[A-F]+', 'ada', '.*com$'])),
  ])();
}

function rule(chance) {
  const conditions = Array.from({ length: 1 + chance.below(2) }, () => condition(chance));
  return { type: 'ALL', conditions: [], rules: [{ type: chance.one(['ANY', 'ALL', 'NONE']), conditions, rules: [] }] };
}

async function make(chance) {
  let id = 0;
  const features = Array.from({ length: 40 }, (_, number) => ({ id: number + 1, name: `flag-${number}`, type: 'STANDARD' }));
  const state = (feature, more = {}) => {
    id += 1;
    return {
      django_id: id, featurestate_uuid: `0000-${id}`, feature, enabled: chance.often(0.6),
      feature_state_value: feature.id % 2 === 0 ? null : chance.one(['r', 'g']), feature_segment: null,
      multivariate_feature_state_values: [], ...more,
    };
  };
  const many = { id: 99, name: 'share-0', type: 'MULTIVARIATE' };
  const option = (value, percentage, number) => ({
    id: number, mv_fs_value_uuid: `mv-${number}`, percentage_allocation: percentage, multivariate_feature_option: { id: number, value },
  });
  const segments = Array.from({ length: 10 }, (_, number) => ({
    id: number + 1, name: `segment-${number}`, rules: [rule(chance)],
    feature_states: chance.some(features, 8).map((feature) => state(feature, { feature_segment: { priority: number } })),
  }));
  const document = {
    id: 1, api_key: 'none', name: 'Production',
    project: {
      id: 1, name: 'Shop', hide_disabled_flags: false, segments,
      organisation: { id: 1, name: 'Shop', feature_analytics: false, stop_serving_flags: false, persist_trait_data: true },
    },
    feature_states: [
      ...features.map((feature) => state(feature)),
      state(many, { enabled: true, feature_state_value: 'c', multivariate_feature_state_values: [option('a', 30, 1), option('b', 20, 2)] }),
    ],
    identity_overrides: users.slice(0, 2).map((identifier) => ({
      identifier, identity_uuid: `id-${identifier}`, created_date: '2026-01-01T00:00:00Z', environment_api_key: 'none',
      identity_traits: [], identity_features: chance.some(features, 5).map((feature) => state(feature)),
    })),
  };
  const place = path.join(process.env.VENDORS_SCRATCH, 'flagsmith.document.json');
  writeFileSync(place, JSON.stringify(document));
  const library = new Flagsmith({ offlineMode: true, offlineHandler: new LocalFileHandler(place) });
  const remembered = new Map();
  const theirs = async (key, person) => {
    const asker = JSON.stringify(person);
    if (!remembered.has(asker)) remembered.set(asker, await library.getIdentityFlags(person.user, person.fields));
    const { enabled, value } = remembered.get(asker).getFlag(key);
    if (!enabled) return undefined;
    return value === null || value === undefined ? true : value;
  };
  return { file: document, names: features.map(({ name }) => name), shares: ['share-0'], theirs };
}

export default { format: 'flagsmith', make };
