// The flags of the story by group, which is what passes or fails. A flag is on in `development` unless it says
// otherwise. It may say
//   needs    fields that a context must have for the answer not to be drawn at random; others are not asked
//   always   that it is on, or off, for everybody; all others must give different answers
//   known    what a program knows by itself and the server does not: a function of the context

import os from 'node:os';

import { valueOf } from './contexts.mjs';
import { ownStrategy } from './fields.mjs';
import { operatorGroups } from './operators.mjs';
import { everybody, fixed, rollout, share, users } from './rules.mjs';

const inCountry = (...values) => ({ contextName: 'country', operator: 'IN', values });
const payload = (type, value) => ({ payload: { type, value } });
const halves = (stickiness) => [share('blue', { stickiness }), share('green', { stickiness })];

const switches = [
  { name: 'switch.on', strategies: [everybody()], always: true },
  { name: 'switch.off', strategies: [everybody()], off: true, always: false },
  { name: 'switch.stale', strategies: [everybody()], stale: true, always: true },
  { name: 'switch.elsewhere', strategies: [everybody()], environment: 'production', always: false },
  { name: 'switch.archived', strategies: [everybody()], archived: true, always: false },
  { name: 'switch.nowhere', missing: true, always: false },
  { name: 'switch.impressions', strategies: [rollout(50, 'userId')], impressionData: true },
  { name: 'switch.some-disabled', strategies: [everybody({ disabled: true }), users('ada')] },
  { name: "sign-*~'(quotes)!", strategies: [users('ben', 'ada')] },
];

const rollouts = [
  ...[1, 25, 50, 75, 99].map((percent) => ({
    name: `rollout.user.${percent}`,
    strategies: [rollout(percent, 'userId')],
  })),
  { name: 'rollout.nobody', strategies: [rollout(0, 'userId')], always: false },
  { name: 'rollout.all-users', strategies: [rollout(100, 'userId')] },
  { name: 'rollout.session', strategies: [rollout(50, 'sessionId')] },
  { name: 'rollout.default', strategies: [rollout(50, 'default')], needs: ['userId', 'sessionId'] },
  { name: 'rollout.basket', strategies: [rollout(50, 'basketId')] },
  { name: 'rollout.random.all', strategies: [rollout(100, 'random')], always: true },
  { name: 'rollout.random.none', strategies: [rollout(0, 'random')], always: false },
  { name: 'rollout.group', strategies: [rollout(50, 'userId', { parameters: { groupId: 'one group for two' } })] },
  { name: 'rollout.same-group', strategies: [rollout(30, 'userId', { parameters: { groupId: 'one group for two' } })] },
  { name: 'rollout.either', strategies: [rollout(20, 'userId'), rollout(20, 'basketId')] },
  { name: 'rollout.constrained', strategies: [rollout(70, 'userId', { constraints: [inCountry('AT', 'CH', 'DE')] })] },
];

const people = [
  { name: 'users.some', strategies: [users('ada', '1037', 'carol')] },
  { name: 'users.unicode', strategies: [users('Ærøskøbing 🛒')] },
  { name: 'users.none', strategies: [{ name: 'userWithId', parameters: { userIds: '' } }] },
  { name: 'addresses.one', strategies: [{ name: 'remoteAddress', parameters: { IPs: '10.1.2.3,203.0.113.5' } }] },
  {
    name: 'addresses.range',
    strategies: [{ name: 'remoteAddress', parameters: { IPs: '192.168.7.0/24, 10.0.0.0/8' } }],
  },
  { name: 'addresses.six', strategies: [{ name: 'remoteAddress', parameters: { IPs: '2001:db8::1' } }] },
  { name: 'addresses.six-range', strategies: [{ name: 'remoteAddress', parameters: { IPs: '2001:db8::/32' } }] },
];

const ownKnowledge = [
  {
    name: 'name.own',
    strategies: [
      everybody({ constraints: [{ contextName: 'appName', operator: 'STR_STARTS_WITH', values: ['library-'] }] }),
    ],
    always: true,
  },
  {
    name: 'name.other',
    strategies: [everybody({ constraints: [{ contextName: 'appName', operator: 'IN', values: ['webshop'] }] })],
    always: false,
  },
  {
    name: 'environment.own',
    strategies: [everybody({ constraints: [{ contextName: 'environment', operator: 'IN', values: ['development'] }] })],
    always: true,
  },
  {
    name: 'host.here',
    strategies: [{ name: 'applicationHostname', parameters: { hostNames: `elsewhere,${os.hostname()}` } }],
    known: () => true,
    always: true,
  },
  {
    name: 'host.elsewhere',
    strategies: [{ name: 'applicationHostname', parameters: { hostNames: 'elsewhere' } }],
    always: false,
  },
  {
    name: 'strategy.own',
    strategies: [{ name: ownStrategy.name, parameters: { city: 'Bern' } }],
    known: (context) => valueOf(context, 'city') === 'Bern',
  },
  {
    name: 'strategy.own-or-user',
    strategies: [users('ada'), { name: ownStrategy.name, parameters: { city: 'Graz' } }],
    known: (context) => context.userId === 'ada' || valueOf(context, 'city') === 'Graz',
  },
];

const segmented = [
  { name: 'segment.one', strategies: [everybody({ segments: ['alps'] })] },
  { name: 'segment.any-case', strategies: [everybody({ segments: ['staff'] })] },
  { name: 'segment.both', strategies: [everybody({ segments: ['alps', 'staff'] })] },
  { name: 'segment.inverted', strategies: [everybody({ segments: ['notCheap'] })] },
  {
    name: 'segment.and-constraint',
    strategies: [
      everybody({ segments: ['notCheap'], constraints: [{ contextName: 'price', operator: 'NUM_LT', value: '1000' }] }),
    ],
  },
  {
    name: 'segment.rollout',
    strategies: [rollout(50, 'userId', { segments: ['staff'] }), rollout(50, 'sessionId', { segments: ['alps'] })],
  },
];

const variants = [
  {
    name: 'variant.thirds',
    strategies: [everybody()],
    variants: ['red', 'green', 'blue'].map((name) => share(name)),
    needs: ['userId'],
  },
  { name: 'variant.fixed', strategies: [everybody()], variants: [fixed('few', 100), share('most')], needs: ['userId'] },
  {
    name: 'variant.never',
    strategies: [everybody()],
    variants: [fixed('never', 0), share('only')],
    needs: ['userId'],
    always: true,
  },
  { name: 'variant.alone', strategies: [rollout(50, 'userId')], variants: [share('alone')] },
  { name: 'variant.session', strategies: [everybody()], variants: halves('sessionId'), needs: ['sessionId'] },
  { name: 'variant.default', strategies: [everybody()], variants: halves('default'), needs: ['userId', 'sessionId'] },
  { name: 'variant.basket', strategies: [everybody()], variants: halves('basketId'), needs: ['basketId'] },
  {
    name: 'variant.payloads',
    strategies: [everybody()],
    variants: [
      share('text', payload('string', 'Grüße, "Welt"\n')),
      share('object', payload('json', '{"a":[1,null,"ü"]}')),
      share('table', payload('csv', 'a,b;c')),
      share('number', payload('number', '3.50')),
      share('nothing'),
    ],
    needs: ['userId'],
  },
  {
    name: 'variant.overrides',
    strategies: [everybody()],
    variants: [
      share('red', { overrides: [{ contextName: 'userId', values: ['ada', '1037'] }] }),
      share('green', { overrides: [{ contextName: 'country', values: ['FR', 'CH'] }] }),
      fixed('never', 0, { overrides: [{ contextName: 'basketId', values: ['basket-26'] }] }),
    ],
    needs: ['userId'],
  },
];

const strategyVariants = [
  { name: 'variant.strategy', strategies: [rollout(60, 'userId', { variants: halves('userId') })] },
  {
    name: 'variant.strategy.group',
    strategies: [rollout(60, 'userId', { parameters: { groupId: 'another group' }, variants: halves('userId') })],
  },
  {
    name: 'variant.strategy.basket',
    strategies: [
      rollout(80, 'basketId', {
        variants: [
          fixed('few', 200, { stickiness: 'basketId', ...payload('number', '7') }),
          share('most', { stickiness: 'basketId' }),
        ],
      }),
    ],
  },
  {
    name: 'variant.strategy.two',
    strategies: [
      rollout(100, 'userId', { constraints: [inCountry('AT', 'DE')], variants: halves('userId') }),
      rollout(100, 'userId', { variants: [share('other', payload('string', 'second strategy'))] }),
    ],
  },
  {
    name: 'variant.strategy.first',
    strategies: [rollout(50, 'userId', { variants: [share('of-strategy')] }), rollout(100, 'userId')],
    variants: halves('userId'),
  },
  {
    name: 'variant.strategy.over-feature',
    strategies: [rollout(70, 'userId', { variants: [share('of-strategy')] })],
    variants: halves('userId'),
  },
];

const dependencies = [
  { name: 'parent.half', strategies: [rollout(50, 'userId')] },
  { name: 'parent.off', strategies: [everybody()], off: true, always: false },
  { name: 'parent.variants', strategies: [rollout(80, 'userId', { variants: halves('userId') })] },
  { name: 'parent.feature-variants', strategies: [everybody()], variants: halves('userId'), needs: ['userId'] },
  { name: 'child.of-half', strategies: [everybody()], dependencies: [{ feature: 'parent.half' }] },
  { name: 'child.of-off', strategies: [everybody()], dependencies: [{ feature: 'parent.off' }], always: false },
  {
    name: 'child.when-off',
    strategies: [rollout(50, 'userId')],
    dependencies: [{ feature: 'parent.off', enabled: false }],
  },
  {
    name: 'child.when-not-half',
    strategies: [everybody()],
    dependencies: [{ feature: 'parent.half', enabled: false }],
  },
  {
    name: 'child.of-variant',
    strategies: [everybody()],
    dependencies: [{ feature: 'parent.variants', variants: ['blue'] }],
  },
  {
    name: 'child.of-feature-variant',
    strategies: [everybody()],
    dependencies: [{ feature: 'parent.feature-variants', variants: ['green', 'grey'] }],
    needs: ['userId'],
  },
  {
    name: 'child.of-two',
    strategies: [everybody()],
    dependencies: [{ feature: 'parent.half' }, { feature: 'parent.variants' }],
  },
  {
    name: 'child.with-variants',
    strategies: [rollout(90, 'userId', { variants: halves('userId') })],
    dependencies: [{ feature: 'parent.half' }],
  },
];

/** Flags by group. */
export const groups = {
  switches,
  'gradual rollout': rollouts,
  'users and addresses': people,
  'what a program knows': ownKnowledge,
  ...operatorGroups,
  segments: segmented,
  variants,
  'variants of strategies': strategyVariants,
  dependencies,
};

/** Flags that change while the programs run: one is turned on, one archived, one gets another segment. */
export const moving = {
  appears: { name: 'moving.appears', strategies: [everybody()], off: true },
  goes: { name: 'moving.goes', strategies: [everybody()] },
  segment: { name: 'moving.segment', strategies: [everybody({ segments: ['moving'] })] },
};

/** Whether the answer of a flag for a context can be compared. */
export const isSettled = (flag, context) => !flag.needs || flag.needs.some((field) => valueOf(context, field));
