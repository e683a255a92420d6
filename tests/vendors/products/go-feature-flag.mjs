// GO Feature Flag: made-up flag files, judged by its own engine, which runs beside this program.

import { spawn } from 'node:child_process';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

import { fields, users } from '../world.mjs';

const quoted = (values) => `[${values.map((value) => JSON.stringify(value)).join(',')}]`;

function query(chance, depth) {
  if (depth > 0 && chance.often(0.4)) {
    const inner = () => query(chance, depth - 1);
    return chance.one([
      () => `(${inner()} and ${inner()})`, () => `(${inner()} or ${inner()})`, () => `not (${inner()})`,
    ])();
  }
  if (chance.often(0.15)) return `targetingKey in ${quoted(chance.some(users, 3))}`;
  const name = chance.one(Object.keys(fields));
  const { kind, values } = fields[name];
  if (kind === 'truth') return `${name} eq ${chance.one(['true', 'false'])}`;
  if (kind === 'number') return `${name} ${chance.one(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])} ${chance.one([5, 17, 18])}`;
  if (kind === 'version') return `${name} ${chance.one(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])} ${chance.one(values.filter((it) => !it.includes('-')))}`;
  return chance.one([
    () => `${name} eq ${JSON.stringify(chance.one(values))}`,
    () => `${name} ne ${JSON.stringify(chance.one(values))}`,
    () => `${name} co ${JSON.stringify(chance.one(values).slice(0, 2))}`,
    () => `${name} sw ${JSON.stringify(chance.one(values).slice(0, 1))}`,
    () => `${name} ew ${JSON.stringify(chance.one(values).slice(-2))}`,
    () => `${name} in ${quoted(chance.some(values, 3))}`,
    () => `${name} pr`,
  ])();
}

function flag(chance, number) {
  const variations = number % 2 === 0 ? { on: true, off: false } : { red: 'r', green: 'g', blue: { b: 1 } };
  const names = Object.keys(variations);
  const targeting = Array.from({ length: 1 + chance.below(3) }, (_, place) => ({
    name: `rule ${place}`, query: query(chance, 2), variation: chance.one(names), ...(chance.often(0.1) && { disable: true }),
  }));
  const last = number % 2 === 0 ? 'off' : chance.one(names);
  return { variations, targeting, defaultRule: { variation: last }, ...(chance.often(0.05) && { disable: true }) };
}

/** The engine: a question at a time. */
function engine(flags) {
  const child = spawn(process.env.VENDORS_PYTHON, [fileURLToPath(new URL('go_feature_flag.py', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = [];
  let gone;
  child.on('exit', (code) => {
    gone = new Error(`GO Feature Flag's engine ended with ${code}`);
    waiting.forEach(({ reject }) => reject(gone));
  });
  readline.createInterface({ input: child.stdout }).on('line', (line) => waiting.shift().resolve(JSON.parse(line)));
  child.stdin.on('error', () => {}).write(`${JSON.stringify(flags)}\n`);
  return (key, context) => new Promise((resolve, reject) => {
    if (gone) return reject(gone);
    waiting.push({ resolve, reject });
    return child.stdin.write(`${JSON.stringify([key, context])}\n`);
  });
}

async function make(chance) {
  const names = Array.from({ length: 40 }, (_, number) => `flag-${number}`);
  const file = Object.fromEntries(names.map((name, number) => [name, flag(chance, number)]));
  const shares = { 'share-0': { on: 30, off: 70 }, 'share-1': { red: 10.5, green: 29.5, blue: 60 } };
  for (const [name, percentage] of Object.entries(shares)) {
    const variations = percentage.on ? { on: true, off: false } : { red: 'r', green: 'g', blue: { b: 1 } };
    file[name] = { variations, defaultRule: { percentage } };
  }
  const judge = engine(file);
  const remembered = new Map();
  const theirs = async (key, { user, fields: given }) => {
    const asker = `${key} ${user} ${JSON.stringify(given)}`;
    if (!remembered.has(asker)) {
      const { value, error } = await judge(key, { targetingKey: user, ...given });
      remembered.set(asker, error ? undefined : value ?? undefined);
    }
    return remembered.get(asker);
  };
  return { file, names, shares: Object.keys(shares), theirs };
}

export default { format: 'go-feature-flag', make };
