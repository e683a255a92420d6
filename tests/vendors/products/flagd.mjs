// flagd: made-up targeting, judged by its own core.

import { readFileSync } from 'node:fs';

import { FlagdCore } from '@openfeature/flagd-core';

import { fields, users } from '../world.mjs';

const real = ['example_flags.flagd.json', 'cheat-sheet-flags.json', 'cheat-sheet-flags-payments.json'];
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

function condition(chance, depth) {
  if (depth > 0 && chance.often(0.45)) {
    const inner = () => condition(chance, depth - 1);
    return chance.one([() => ({ and: [inner(), inner()] }), () => ({ or: [inner(), inner()] }), () => ({ '!': [inner()] })])();
  }
  if (chance.often(0.15)) return { in: [{ var: 'targetingKey' }, chance.some(users, 3)] };
  const name = chance.one(Object.keys(fields));
  const { kind, values } = fields[name];
  const variable = { var: name };
  if (kind === 'truth') return { '===': [variable, true] };
  if (kind === 'number') return { [chance.one(['<', '<=', '>', '>=', '==', '!='])]: [variable, chance.one([5, 17, 18])] };
  if (kind === 'version') {
    return { sem_ver: [variable, chance.one(['=', '!=', '<', '<=', '>', '>=', '^', '~']), chance.one(values)] };
  }
  return chance.one([
    () => ({ '==': [variable, chance.one(values)] }),
    () => ({ '!=': [variable, chance.one(values)] }),
    () => ({ in: [variable, chance.some(values, 3)] }),
    () => ({ in: ['a', variable] }),
    () => ({ starts_with: [variable, chance.one(values).slice(0, 1)] }),
    () => ({ ends_with: [variable, chance.one(values).slice(-3)] }),
  ])();
}

function targeting(chance, names) {
  const operands = [];
  for (let count = 1 + chance.below(3); count > 0; count -= 1) {
    operands.push(condition(chance, 2), chance.often(0.15) ? null : chance.one(names));
  }
  if (chance.often(0.7)) operands.push(chance.one([...names, null]));
  return { if: operands };
}

async function make(chance) {
  const flags = {};
  const [names, shares] = [[], []];
  for (let number = 0; number < 60; number += 1) {
    const boolean = number % 2 === 0;
    const variants = boolean ? { on: true, off: false } : { red: 'r', green: 'g', blue: { b: 1 } };
    const key = `flag-${number}`;
    names.push(key);
    const defaultVariant = chance.one([...Object.keys(variants), boolean ? 'off' : null]);
    flags[key] = { state: 'ENABLED', variants, defaultVariant, targeting: targeting(chance, Object.keys(variants)) };
  }
  flags['flag-0'].targeting = { if: [{ $ref: 'swiss' }, 'on', 'off'] };
  for (let number = 0; number < 5; number += 1) {
    const key = `share-${number}`;
    shares.push(key);
    const parts = number % 2 === 0 ? [['on', 20 + 10 * number], ['off', 80 - 10 * number]] : [['red', 1], ['green', 2], ['blue', 3 + number]];
    flags[key] = {
      state: 'ENABLED',
      variants: number % 2 === 0 ? { on: true, off: false } : { red: 'r', green: 'g', blue: { b: 1 } },
      defaultVariant: number % 2 === 0 ? 'off' : 'red',
      targeting: { fractional: parts },
    };
  }
  const file = { flags, $evaluators: { swiss: { in: [{ var: 'country' }, ['CH']] } } };
  for (const name of real) {
    const given = JSON.parse(readFileSync(new URL(`../../data/vendors/flagd/${name}`, import.meta.url), 'utf8'));
    Object.assign(flags, given.flags);
    Object.assign(file.$evaluators, given.$evaluators);
    names.push(...Object.keys(given.flags).filter((key) => JSON.stringify(given.flags[key]).indexOf('fractional') < 0));
  }
  const core = new FlagdCore();
  core.setConfigurations(JSON.stringify(file));
  const theirs = (key, { user, fields: given }) => {
    const context = { targetingKey: user, ...given };
    const kind = typeof Object.values(flags[key].variants)[0];
    if (kind === 'boolean') return core.resolveBooleanEvaluation(key, false, context, quiet).value;
    for (const ask of ['resolveStringEvaluation', 'resolveNumberEvaluation', 'resolveObjectEvaluation']) {
      const { value, variant } = core[ask](key, undefined, context, quiet);
      if (variant !== undefined && value !== undefined) return value;
    }
    return undefined;
  };
  return { file, names, shares, theirs };
}

export default { format: 'flagd', make };
