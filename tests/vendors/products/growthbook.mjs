// GrowthBook: made-up rules as its SDKs get them, judged by its own library.

import { GrowthBook } from '@growthbook/growthbook';

import { fields, users } from '../world.mjs';

function condition(chance, depth) {
  if (depth > 0 && chance.often(0.4)) {
    const inner = () => condition(chance, depth - 1);
    const of = () => [inner(), inner()];
    return chance.one([() => ({ $and: of() }), () => ({ $or: of() }), () => ({ $nor: of() }), () => ({ $not: inner() })])();
  }
  if (chance.often(0.15)) return { id: { $in: chance.some(users, 3) } };
  const name = chance.one(Object.keys(fields));
  const { kind, values } = fields[name];
  if (kind === 'truth') return { [name]: true };
  if (kind === 'number') return { [name]: { [chance.one(['$lt', '$lte', '$gt', '$gte', '$eq', '$ne'])]: chance.one([5, 17, 18]) } };
  if (kind === 'version') return { [name]: { [chance.one(['$vlt', '$vlte', '$vgt', '$vgte', '$veq'])]: chance.one(['1.2.0', '1.10.3', '2.0.0']) } };
  return chance.one([
    () => ({ [name]: chance.one(values) }),
    () => ({ [name]: { $ne: chance.one(values) } }),
    () => ({ [name]: { $in: chance.some(values, 3) } }),
    () => ({ [name]: { $nin: chance.some(values, 2) } }),
    () => ({ [name]: { $exists: true } }),
    () => ({ [name]: { $regex: chance.one(['^C', 'com$', '[A-F]+', 'example\\.(org|com)']) } }),
  ])();
}

async function make(chance) {
  const features = {};
  const [names, shares] = [[], []];
  for (let number = 0; number < 60; number += 1) {
    const values = number % 2 === 0 ? [true, false] : ['r', 'g', 'b'];
    const rules = Array.from({ length: 1 + chance.below(3) }, () => ({ condition: condition(chance, 2), force: chance.one(values) }));
    const key = `flag-${number}`;
    names.push(key);
    features[key] = { defaultValue: number % 2 === 0 ? chance.often(0.3) : chance.one(values), rules };
  }
  for (let number = 0; number < 3; number += 1) {
    shares.push(`share-${number}`);
    features[`share-${number}`] = { defaultValue: false, rules: [{ force: true, coverage: 0.2 + 0.2 * number, hashAttribute: 'id' }] };
  }
  shares.push('experiment', 'partial');
  features.experiment = { defaultValue: 'r', rules: [{ variations: ['g', 'b'], weights: [0.3, 0.7], hashAttribute: 'id' }] };
  features.partial = { defaultValue: 'r', rules: [{ variations: ['g', 'b'], weights: [0.5, 0.5], coverage: 0.4, hashAttribute: 'id' }] };
  const theirs = (key, { user, fields: given }) => {
    const growthbook = new GrowthBook({ features, attributes: { id: user, ...given } });
    return growthbook.evalFeature(key).value;
  };
  return { file: { features }, names, shares, theirs };
}

export default { format: 'growthbook', make };
