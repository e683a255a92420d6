// Strategies as people and programs write them, sound and unsound: each is a body of the API.

import {
  addresses,
  dates,
  fields,
  groups,
  numbers,
  oddStickiness,
  patterns,
  shares,
  stickiness,
  texts,
  userIds,
  versions,
} from './values.mjs';

const several = ['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH'];
const single = [
  ...['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].map((operator) => [operator, numbers, 'price']),
  ...['DATE_AFTER', 'DATE_BEFORE'].map((operator) => [operator, dates, 'currentTime']),
  ...['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT', 'SEMVER_GTE', 'SEMVER_LTE'].map((operator) => [
    operator,
    versions,
    'appVersion',
  ]),
  ['REGEX', patterns, 'country'],
];
const named = ['userId', 'sessionId', 'appName', 'environment', 'remoteAddress', ...fields];

/** A constraint: one in ten is on a field that does not go with its operator, or lacks what it is compared with. */
export function constraint(random) {
  const flags = {
    ...(random.chance(30) && { inverted: random.chance(70) }),
    ...(random.chance(30) && { caseInsensitive: random.chance(70) }),
  };
  if (random.chance(50)) {
    const operator = random.pick(several);
    const contextName = random.chance(3) ? 'currentTime' : random.pick(named);
    const values = random.list(random.chance(3) ? 0 : 1, 4, () => plainly(random, texts));
    return { contextName, operator, values, ...flags };
  }
  const [operator, values, usual] = random.pick(single);
  const contextName = random.chance(90) ? usual : random.pick([...named, 'currentTime']);
  const value = plainly(random, values);
  return { contextName, operator, ...(random.chance(95) && { value }), ...(random.chance(20) && { values: [] }), ...flags };
}

/** One of the values: the sound ones come first in each list, and are drawn three times out of four. */
function plainly(random, values) {
  return random.chance(75) ? values[random.below(Math.ceil(values.length / 3))] : random.pick(values);
}

const parameters = {
  default: () => ({}),
  flexibleRollout: (random) => ({
    ...(random.chance(95) && { rollout: plainly(random, shares) }),
    ...(random.chance(85) && { stickiness: random.chance(92) ? random.pick(stickiness) : random.pick(oddStickiness) }),
    ...(random.chance(80) && { groupId: plainly(random, groups) }),
  }),
  gradualRolloutUserId: rolloutById,
  gradualRolloutSessionId: rolloutById,
  gradualRolloutRandom: (random) => ({ percentage: random.pick(['0', '100']) }),
  userWithId: (random) => (random.chance(95) ? { userIds: random.pick(userIds) } : {}),
  remoteAddress: (random) => (random.chance(95) ? { IPs: random.pick(addresses) } : {}),
};

function rolloutById(random) {
  return {
    ...(random.chance(95) && { percentage: plainly(random, shares) }),
    ...(random.chance(80) && { groupId: plainly(random, groups) }),
  };
}

function variants(random) {
  const of = random.pick(stickiness.slice(0, 5));
  const names = ['red', 'green', 'blue'].slice(0, 1 + random.below(3));
  return names.map((name) => ({
    name,
    weight: 1000,
    weightType: 'variable',
    stickiness: random.chance(85) ? of : random.pick(stickiness.slice(0, 5)),
    ...(random.chance(40) && { payload: { type: 'string', value: `payload of ${name}` } }),
  }));
}

/** A strategy, perhaps with some of these segments. */
export function strategy(random, segments) {
  const name = random.chance(55) ? 'flexibleRollout' : random.pick(Object.keys(parameters));
  return {
    name,
    parameters: parameters[name](random),
    constraints: random.chance(70) ? random.list(1, 3, constraint) : [],
    ...(random.chance(35) && { variants: variants(random) }),
    ...(segments.length > 0 && random.chance(15) && { segments: [random.pick(segments)] }),
  };
}

/** Variants of a feature in an environment. */
export function featureVariants(random) {
  const of = random.pick(stickiness.slice(0, 5));
  return variants(random).map((variant) => ({
    ...variant,
    stickiness: of,
    ...(random.chance(15) && { overrides: [{ contextName: random.pick(['userId', 'plan']), values: ['ada', 'gold'] }] }),
  }));
}

const peoples = ['ada', 'ben', '7', '42', 'carol@shop.example', 'DOMAIN\\ada', 'quo"te'];

/**
 * Somebody of whom everything is known, in forms that all programs read alike: in ASCII, since libraries hash other letters
 * differently, and know fewer or more of them in patterns.
 */
export function person(random, number) {
  const id = random.chance(40) ? random.pick(peoples) : `${1000 + number * 37}`;
  return {
    userId: id,
    sessionId: `session-${random.below(500)}`,
    remoteAddress: random.pick(['10.1.2.3', '192.168.7.9', '203.0.113.5', '172.16.0.1']),
    currentTime: random.pick(['2026-01-15T12:00:00.000Z', '2026-01-15T11:59:59.999Z', '2027-06-01T00:00:00.000Z']),
    properties: {
      country: random.pick(['AT', 'CH', 'at', 'quo"te', 'a b', 'back\\slash', '%', 'padded', '100%']),
      plan: random.pick(['gold', 'tin', 'a b', '1', 'true']),
      price: random.pick(['0', '5', '-5', '5.0', '10', '9.99', '1e1', '0.5', '0.1', '1000', 'cheap']),
      appVersion: random.pick(['1.2.3', '1.2.4', '1.10.0', '2.0.0-rc.1', '2.0.0', '1.2.3-beta', '1.2', 'new']),
      basketId: `basket-${random.below(300)}`,
    },
  };
}

/** Somebody of whom things are said in forms that programs read differently: for what this server alone answers. */
export function oddPerson(random) {
  const properties = {
    country: ['', ' AT', 'İstanbul', 'Zürich, CH', '会话', 'trailing\\'],
    price: [' 5 ', '', '0x10', 'NaN', 'Infinity', '5'],
    appVersion: [' 1.2.3', 'v1.2.3', '1.2.3+build', ''],
    'quo"te': ['x'],
  };
  const said = Object.entries(properties).filter(() => random.chance(75));
  return {
    userId: random.pick([' ada ', 'ada', 'Ærøskøbing']),
    sessionId: random.pick(['session-1', ' session']),
    remoteAddress: random.pick(['2001:db8::1', 'nowhere', ' 10.1.2.3']),
    // Without these, chance decides about variants.
    properties: {
      plan: random.pick(['gold ', '0', ' ']),
      basketId: 'basket ',
      ...Object.fromEntries(said.map(([name, values]) => [name, random.pick(values)])),
    },
  };
}
