// Where a library is known to differ from the server, and why. The answers must be exactly these: when a new version
// of a library behaves otherwise, the tests say so.

import { behindFieldEdge } from './libraries.mjs';
import { contexts } from './story/contexts.mjs';
import { groups } from './story/flags.mjs';

const on = { enabled: true, variant: 'disabled', payload: null };
const off = { enabled: false, variant: 'disabled', payload: null };
const all = (flags, answer) => Object.fromEntries(flags.map((flag) => [flag, answer]));
const named = (name) => (context) => context === contexts.get(name);

const flags = new Map(
  Object.values(groups)
    .flat()
    .map((flag) => [flag.name, flag]),
);

/**
 * Each entry is about one library, in all modes, and some contexts, perhaps only (not) behind the field's own edge: the
 * answers by flag. A name stands for the variant of that name, with its payload.
 */
const answers = [
  {
    library: 'unleash-client',
    reason:
      'It hashes the code units of JavaScript, where the others hash the bytes of UTF-8: what is not ASCII falls elsewhere',
    of: named('ünï çødé'),
    answers: {
      ...all(['switch.impressions', 'rollout.user.50', 'rollout.default', 'rollout.basket', 'rollout.either'], off),
      ...all(['rollout.user.25', 'rollout.group', 'rollout.same-group'], on),
      ...all(['variant.thirds', 'variant.session', 'variant.strategy', 'parent.feature-variants'], 'blue'),
      'variant.fixed': 'most',
      'variant.payloads': 'object',
      'variant.strategy.group': off,
      'variant.strategy.over-feature': 'of-strategy',
      ...all(['parent.half', 'parent.variants', 'child.of-half', 'child.of-variant', 'child.of-feature-variant'], off),
      ...all(['child.of-two', 'child.with-variants'], off),
      'child.when-not-half': on,
    },
  },
  {
    library: 'unleash-client',
    reason: 'It takes an empty text for none, where the others hash it, or find it in an empty list of users',
    of: named('empty texts'),
    answers: {
      ...all(
        [50, 75, 99].map((percent) => `rollout.user.${percent}`),
        off,
      ),
      ...all(
        ['switch.impressions', 'rollout.all-users', 'rollout.session', 'rollout.basket', 'rollout.group', 'users.none'],
        off,
      ),
      ...all(
        ['group', 'basket', 'two', 'first'].map((name) => `variant.strategy.${name}`),
        off,
      ),
      ...all(['parent.variants', 'child.when-off', 'child.of-variant'], off),
    },
  },
  {
    library: 'unleash-client',
    reason: 'It reads an empty text as the number 0, where for the others it is none',
    of: named('empty texts'),
    answers: { NUM_LT: on, NUM_LTE: on, 'NUM_LT.inverted': off, 'NUM_LTE.inverted': off },
  },
  {
    library: 'unleash-client',
    reason: 'It strips blanks from numbers and versions, where for the others that is neither',
    of: named('blanks around'),
    answers: {
      ...all(
        ['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LTE', 'NUM.between', 'segment.inverted', 'segment.and-constraint'],
        on,
      ),
      ...all(['SEMVER_EQ', 'SEMVER.before-release', 'SEMVER.range'], on),
      ...all(
        ['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LTE', 'SEMVER_EQ'].map((operator) => `${operator}.inverted`),
        off,
      ),
    },
  },
  {
    library: 'unleash-client',
    reason: 'Its strategy remoteAddress knows ranges of IPv4 addresses only',
    of: (context) => context.remoteAddress?.startsWith('2001:db8:'),
    answers: { 'addresses.six-range': off },
  },
  {
    library: 'unleash-proxy-client',
    behindFieldEdge: false,
    reason: 'The frontend API takes an empty id for none, so that a page can say that it has none',
    of: named('empty texts'),
    answers: {
      ...all(
        [50, 75, 99].map((percent) => `rollout.user.${percent}`),
        off,
      ),
      ...all(['switch.impressions', 'rollout.all-users', 'rollout.session', 'rollout.group', 'users.none'], off),
      ...all(
        ['group', 'two', 'first'].map((name) => `variant.strategy.${name}`),
        off,
      ),
      ...all(['parent.variants', 'child.when-off', 'child.of-variant'], off),
    },
  },
  {
    library: 'unleash-proxy-client',
    behindFieldEdge: true,
    reason: "The engine of the field's edge takes a version with build data for another one",
    of: (context) => context.properties?.appVersion === '1.2.3+build.5',
    answers: { SEMVER_EQ: off, 'SEMVER_EQ.inverted': on, SEMVER_GT: on, 'SEMVER_GT.inverted': off },
  },
  {
    library: 'UnleashClient',
    reason: 'It does not tell its engine the name of the host',
    of: () => true,
    answers: { 'host.here': off },
  },
];

/** Whether chance decides: the field's edge draws a session for whoever tells none. */
export function isDrawn(library, flag, context) {
  const drawsSessions = behindFieldEdge && library.isAnsweredByServer && !context.sessionId;
  return drawsSessions && JSON.stringify(flag).includes('"sessionId"');
}

/** How a library is known to answer differently, as `{ reason, answer }`. */
export function deviation(library, flag, context) {
  const found = answers.find(
    (entry) =>
      entry.library === library.name &&
      (entry.behindFieldEdge ?? behindFieldEdge) === behindFieldEdge &&
      flag.name in entry.answers &&
      entry.of(context),
  );
  if (!found) return undefined;
  const answer = found.answers[flag.name];
  return { reason: found.reason, answer: typeof answer === 'string' ? chosen(flag, answer) : answer };
}

function chosen(flag, name) {
  const variants = [...flag.strategies.flatMap((strategy) => strategy.variants ?? []), ...(flag.variants ?? [])];
  const { payload } = variants.find((variant) => variant.name === name);
  return { enabled: true, variant: name, payload: payload ?? null };
}

/**
 * What a library reports of a flag that was asked for by `isEnabled` and `getVariant` for each context. The one for Rust
 * leaves strategies of one's own out when it looks for a variant, and counts that as off.
 */
export function reported(library, flag, counts) {
  const besides = { 'strategy.own': () => false, 'strategy.own-or-user': (context) => context.userId === 'ada' }[flag];
  if (library.name !== 'unleash-api-client' || !besides) return counts;
  const lost = [...contexts.values()].filter((context) => flags.get(flag).known(context) && !besides(context)).length;
  return { ...counts, yes: counts.yes - lost, no: counts.no + lost };
}
