// A flag for each operator, plain and turned around, and in the forms that are easy to get wrong.

import { everybody } from './rules.mjs';

const noon = '2026-01-15T12:00:00.000Z';

const plain = {
  IN: { contextName: 'country', values: ['AT', 'Zürich, CH', 'quo"te'] },
  NOT_IN: { contextName: 'country', values: ['AT', 'CH'] },
  STR_STARTS_WITH: { contextName: 'email', values: ['eve', 'shop@'] },
  STR_ENDS_WITH: { contextName: 'email', values: ['@shop.example'] },
  STR_CONTAINS: { contextName: 'email', values: ['VE@', 'elsewhere'] },
  NUM_EQ: { contextName: 'price', value: '10' },
  NUM_GT: { contextName: 'price', value: '9.99' },
  NUM_GTE: { contextName: 'price', value: '9.99' },
  NUM_LT: { contextName: 'price', value: '10' },
  NUM_LTE: { contextName: 'price', value: '10' },
  DATE_AFTER: { contextName: 'currentTime', value: noon },
  DATE_BEFORE: { contextName: 'currentTime', value: noon },
  SEMVER_EQ: { contextName: 'appVersion', value: '1.2.3' },
  SEMVER_GT: { contextName: 'appVersion', value: '1.2.3' },
  SEMVER_LT: { contextName: 'appVersion', value: '1.2.3' },
};

const flag = (name, ...constraints) => ({ name, strategies: [everybody({ constraints })] });
const always = (flag) => ({ ...flag, always: true });

const groupOf = (operator) =>
  ({ STR: 'texts', NUM: 'numbers', DAT: 'dates', SEM: 'versions' })[operator.slice(0, 3)] ?? 'lists';

const groups = {};
for (const [operator, rest] of Object.entries(plain)) {
  const constraint = { operator, ...rest };
  const group = (groups[`operators on ${groupOf(operator)}`] ??= []);
  group.push(flag(operator, constraint), flag(`${operator}.inverted`, { ...constraint, inverted: true }));
  if (operator.startsWith('STR_')) {
    group.push(flag(`${operator}.any-case`, { ...constraint, caseInsensitive: true }));
    group.push(flag(`${operator}.any-case.inverted`, { ...constraint, caseInsensitive: true, inverted: true }));
  }
}

groups['operators on lists'].push(
  flag('IN.many', {
    contextName: 'userId',
    operator: 'IN',
    values: Array.from({ length: 100 }, (_, number) => String(1000 + number * 74)),
  }),
);
groups['operators on numbers'].push(
  flag(
    'NUM.between',
    { ...plain.NUM_GT, operator: 'NUM_GT', value: '0' },
    { ...plain.NUM_LT, operator: 'NUM_LT', value: '100.5' },
  ),
  flag('NUM.negative', { contextName: 'price', operator: 'NUM_LT', value: '-2.5' }),
);
groups['operators on dates'].push(
  flag('DATE.other-zone', {
    contextName: 'currentTime',
    operator: 'DATE_AFTER',
    value: '2026-01-15T13:00:00.000+01:00',
  }),
  always(
    flag('DATE.long-ago', { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2001-01-01T00:00:00.000Z' }),
  ),
);
groups['operators on versions'].push(
  flag('SEMVER.before-release', { contextName: 'appVersion', operator: 'SEMVER_GT', value: '1.2.3-alpha' }),
  flag(
    'SEMVER.range',
    { ...plain.SEMVER_GT, operator: 'SEMVER_GT', value: '1.2.0' },
    { ...plain.SEMVER_LT, operator: 'SEMVER_LT', value: '1.10.0' },
  ),
);

export const operatorGroups = groups;
