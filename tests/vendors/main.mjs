// Moves each product's flags in and asks both sides. See `run`.

import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { Ours, moveIn } from './ours.mjs';
import flagd from './products/flagd.mjs';
import flagsmith from './products/flagsmith.mjs';
import flipt from './products/flipt.mjs';
import goFeatureFlag from './products/go-feature-flag.mjs';
import growthbook from './products/growthbook.mjs';
import launchdarkly from './products/launchdarkly.mjs';
import { Chance, crowd, people } from './world.mjs';

const asked = 3000;
const leeway = 0.035;
const seed = Number(process.env.VENDORS_SEED ?? 1);
const known = [flagd, growthbook, launchdarkly, flagsmith, flipt, goFeatureFlag];
const wanted = process.argv.slice(2);
const products = known.filter(({ format }) => wanted.length === 0 || wanted.includes(format));
if (products.length === 0) throw new Error(`none of ${known.map(({ format }) => format).join(', ')} is meant`);
let [passed, failed] = [0, 0];

function check(what, faults) {
  if (faults.length === 0) {
    passed += 1;
    return;
  }
  failed += 1;
  console.log(`FAILED ${what}: ${faults.length} times, such as`);
  faults.slice(0, 3).forEach((fault) => console.log(`    ${JSON.stringify(fault)}`));
}

/** A value as a text to compare; nothing where the flag is off. */
function said(value) {
  if (value === undefined || value === null || value === false) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

for (const product of products) {
  const chance = new Chance(seed);
  const { file, names, shares, theirs, nothing } = await product.make(chance);
  const place = path.join(process.env.VENDORS_SCRATCH, `${product.format}.file.json`);
  writeFileSync(place, JSON.stringify(file, null, 1));
  const { answer, findings } = await moveIn(product.format, product.format, place);
  const ours = new Ours(answer);
  const told = (name) => findings.some((it) => it.name === name || it.name.startsWith(`${name} in `));
  const off = names.filter((name) => findings.some((it) => it.outcome === 'left-out' && it.name.startsWith(`${name} in `)));
  const counts = { same: 0, narrower: 0 };
  const crowdOf = people(chance, asked);
  for (const name of names) {
    const [wider, untold] = [[], []];
    for (const person of crowdOf) {
      const here = said(ours.gets(name, person));
      const there = said(await theirs(name, person));
      // A value that is given while the flag is off may be nothing here.
      if (here === there || (here === undefined && there === said(nothing?.(name)))) counts.same += 1;
      else if (here !== undefined) wider.push({ name, person, here, there });
      else if (told(name)) counts.narrower += 1;
      else untold.push({ name, person, there });
    }
    check(`${product.format} ${name}: nobody gets more than there`, wider);
    check(`${product.format} ${name}: whatever is missing is told`, untold);
  }
  const many = crowd(asked);
  for (const name of shares) {
    const tally = async (gets) => {
      const counted = new Map();
      for (const person of many) {
        const value = said(await gets(name, person)) ?? 'off';
        counted.set(value, (counted.get(value) ?? 0) + 1 / asked);
      }
      return counted;
    };
    const [here, there] = [await tally((...of) => ours.gets(...of)), await tally(theirs)];
    const apart = [...new Set([...here.keys(), ...there.keys()])]
      .map((value) => ({ name, value, here: here.get(value) ?? 0, there: there.get(value) ?? 0 }))
      .filter((it) => Math.abs(it.here - it.there) > leeway);
    check(`${product.format} ${name}: shares are as large as there`, apart);
  }
  const total = counts.same + counts.narrower;
  console.log(`${product.format}: ${names.length} flags, ${off.length} of them off and told; ${total} answers, ` +
    `${counts.same} the same, ${counts.narrower} told to be missing; ${shares.length} shares`);
  // A reader that left everything off would widen nothing either.
  check(`${product.format}: most flags come over`, off.length * 3 > names.length ? [{ off }] : []);
}
console.log(`The products: ${passed} checks passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
