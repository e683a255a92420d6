// Makes features of generated strategies, and has everybody who evaluates them answer for generated people: the
// playground, the frontend API, OFREP and an edge, which must agree in everything, and the libraries of the field, which
// must agree about what was taken from people. See `run`, which starts the server and the edge.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Admin } from '../libraries/admin.mjs';
import { libraries } from '../libraries/libraries.mjs';
import { Program } from '../libraries/program.mjs';
import { Report } from '../libraries/report.mjs';
import { ask, text } from './answers.mjs';
import { oddPerson, person } from './generate.mjs';
import { make } from './make.mjs';
import { Random } from './random.mjs';

const { FLAGSTONE_URL, FLAGSTONE_ADMIN_TOKEN, FLAGSTONE_CLIENT_TOKEN, FLAGSTONE_FRONTEND_TOKEN, EDGE_URL } = process.env;
const { DIFFERENTIAL_SEED = '1', DIFFERENTIAL_FEATURES = '1500', LIBRARIES_SCRATCH } = process.env;
/** All programs call themselves so, since constraints may be on it. */
const application = 'differential';
const people = 16;
const oddPeople = 8;
/** Most disagreements that are shown. */
const shown = 20;

const random = new Random(Number(DIFFERENTIAL_SEED));
const admin = new Admin(FLAGSTONE_URL, FLAGSTONE_ADMIN_TOKEN);
const report = new Report();
const began = Date.now();
const say = (words) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${words}`);

const made = await make(admin, random, Number(DIFFERENTIAL_FEATURES));
say(
  `${made.features.length} features of ${made.taken} strategies and ${made.segments} segments; ` +
    `${made.refused.size} kinds of refusal of ${made.refusals} strategies`,
);
report.check('what is refused names its property', made.unclear);

const contexts = new Map([
  ...Array.from({ length: people }, (_, number) => [`person ${number}`, person(random, number)]),
  ...Array.from({ length: oddPeople }, (_, number) => [`odd person ${number}`, oddPerson(random)]),
]);
const plain = [...contexts.keys()].slice(0, people);

const question = { application, admin, token: FLAGSTONE_FRONTEND_TOKEN, features: made.features };
const server = { ...question, url: FLAGSTONE_URL };
const playground = await ask.playground(server, contexts);
say(`the playground has answered ${playground.size} questions`);
await settled();
const others = {
  'frontend API': await ask.frontend(server, contexts),
  OFREP: await ask.ofrep(server, contexts),
  'frontend API of an edge': await ask.frontend({ ...question, url: EDGE_URL }, contexts),
  'OFREP of an edge': await ask.ofrep({ ...question, url: EDGE_URL }, contexts),
};
for (const [name, answers] of Object.entries(others)) compare(name, answers, [...contexts.keys()]);
say('the frontend API, OFREP and the edge are compared');

const onAndOff = [...playground.values()].filter(({ enabled }) => enabled).length / playground.size;
report.check('some are on and some are off', onAndOff > 0.2 && onAndOff < 0.8 ? [] : [`${onAndOff} are on`]);

const story = path.join(LIBRARIES_SCRATCH, 'generated.json');
const names = made.features.map(({ name }) => name);
const questions = plain.map((name) => ({ name, context: contexts.get(name), flags: names }));
writeFileSync(story, JSON.stringify({ questions }));
const asked = libraries.filter(({ mode, isAnsweredByServer }) => mode === 'polling' && !isAnsweredByServer);
const programs = asked.map((library, number) => ({ library, program: start(library, number) }));
process.on('exit', () => programs.forEach(({ program }) => program.kill()));
for (const { library, program } of programs) {
  await program.said('asked', 600);
  compare(library.title, program.answers, plain);
  await program.dismiss(60);
}
say(`${asked.map(({ name }) => name).join(', ')} are compared`);
process.exit(report.conclude() ? 0 : 1);

/** Compares the answers of one with those of the playground. */
function compare(title, answers, whom) {
  const complaints = [];
  let compared = 0;
  for (const name of whom) {
    for (const feature of made.features) {
      const key = `${feature.name} for ${name}`;
      const [expected, got] = [text(playground.get(key)), text(answers.get(key))];
      compared += 1;
      if (expected === got) continue;
      complaints.push(`${key}: ${got}, where the playground has ${expected}. ${describe(feature, contexts.get(name))}`);
    }
  }
  const more = complaints.length > shown ? [`and ${complaints.length - shown} more`] : [];
  report.check(`${title} agrees in ${compared} answers`, [...complaints.slice(0, shown), ...more]);
}

function describe(feature, context) {
  return `${JSON.stringify(feature.strategies)} ${JSON.stringify(feature.dependencies)} ${JSON.stringify(context)}`;
}

/** Waits until the edge has heard of everything. */
async function settled() {
  const last = made.features.at(-1).name;
  for (let attempt = 0; attempt < 600; attempt++) {
    const answer = await fetch(`${EDGE_URL}/api/client/features`, { headers: { authorization: FLAGSTONE_CLIENT_TOKEN } });
    const known = answer.ok ? (await answer.json()).features.find(({ name }) => name === last) : undefined;
    if (known?.enabled) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the edge has not heard of the last feature');
}

function start(library, number) {
  const directory = path.join(LIBRARIES_SCRATCH, `generated-${number}`);
  mkdirSync(directory);
  return new Program(library.command, {
    LIBRARY_URL: FLAGSTONE_URL,
    LIBRARY_TOKEN: library.token,
    LIBRARY_APPLICATION: application,
    LIBRARY_INSTANCE: library.instance,
    LIBRARY_MODE: library.mode,
    LIBRARY_STORY: story,
    LIBRARY_DIRECTORY: directory,
  });
}
