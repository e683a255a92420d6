// Tells the story to the server, has each library ask about it, and compares everything with what the server says.
// See `run`, which starts the server.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Admin } from './admin.mjs';
import { blindSpots, disagreements, evaluate, questions } from './compare.mjs';
import { behindFieldEdge, libraries as known } from './libraries.mjs';
import { openFeature } from './open-feature.mjs';
import { Program } from './program.mjs';
import { Recorder } from './recorder.mjs';
import { Report } from './report.mjs';
import { groups, moving } from './story/flags.mjs';
import { move, tell } from './story/tell.mjs';
import { miscounts, registration, settle, signsOfLife } from './usage.mjs';

const { FLAGSTONE_URL, FLAGSTONE_ADMIN_TOKEN, FLAGSTONE_CLIENT_TOKEN, LIBRARIES_SCRATCH } = process.env;
const { LIBRARIES_URL = FLAGSTONE_URL } = process.env;
const wanted = process.argv.slice(2);
const libraries = known.filter(({ title }) => wanted.length === 0 || wanted.some((part) => title.includes(part)));
if (libraries.length === 0) throw new Error(`none of ${known.map(({ title }) => title).join('; ')} is meant`);
const admin = new Admin(FLAGSTONE_URL, FLAGSTONE_ADMIN_TOKEN);
const asProgram = { headers: { Authorization: FLAGSTONE_CLIENT_TOKEN, 'Unleash-Client-Spec': '5.2.0' } };
const report = new Report();
const began = Date.now();
const say = (words) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${words}`);

say('making flags');
const segmentIds = await tell(admin);
await settle(120, untold);
const storyFile = path.join(LIBRARIES_SCRATCH, 'story.json');
const names = Object.fromEntries(Object.entries(moving).map(([what, flag]) => [what, flag.name]));
writeFileSync(storyFile, JSON.stringify({ questions, moving: names }));
say('the libraries ask');
const running = await Promise.all(libraries.map(start));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
process.on('exit', () => running.forEach(({ program }) => program.kill()));
const expected = await evaluate(admin);
report.check('the story tells answers apart', blindSpots(expected));
say(`the server itself has answered ${expected.size} questions`);
await eachOf('asks every question', ({ program }) => program.said('asked', 300));
say('every library has asked');
for (const { library, program } of running) {
  for (const group of Object.keys(groups)) {
    report.check(`${library.title}: ${group}`, disagreements(library, group, program.answers, expected));
  }
}
const unknown = new Set(
  Object.values(groups)
    .flat()
    .filter((flag) => flag.missing || flag.archived)
    .map((flag) => flag.name),
);
// The field's edge does not speak its protocol.
if (wanted.length === 0 && !behindFieldEdge) {
  const complaints = await openFeature(LIBRARIES_URL, FLAGSTONE_CLIENT_TOKEN, expected, unknown);
  report.check("OpenFeature's provider, OFREP: every question", complaints);
  say('the provider of OpenFeature has asked');
}
const tagged = ({ library }) => library.etag;
await eachOf('is answered 304 when nothing has changed', (one) => settle(90, () => unchanged(one)), tagged);
await move(admin, segmentIds);
await eachOf('learns of changes while it runs', ({ program }) => program.said('arrived', 120));
say('every library knows what has changed');

let miscounted = new Map();
await settle(90, async () => {
  miscounted = await miscounts(admin, running, (flag) => !unknown.has(flag));
  return [...miscounted.values()].flat();
});
await eachOf('has its evaluations counted', async ({ library }) => miscounted.get(library));
say('the counters are compared');
await eachOf('is known to the server', ({ library }) => settle(90, () => registration(admin, library)));
await eachOf('asks in its own way, and is refused nothing', amiss);
report.check('usage shows on the flags', await settle(90, () => signsOfLife(admin)));
await eachOf('ends by itself', end);
process.exit(report.conclude() ? 0 : 1);

/** Starts the program of a library, with a recorder of its own before the server. */
async function start(library, number) {
  const recorder = new Recorder(LIBRARIES_URL);
  const directory = path.join(LIBRARIES_SCRATCH, String(number));
  mkdirSync(directory);
  const environment = {
    LIBRARY_URL: await recorder.listen(),
    LIBRARY_TOKEN: library.token,
    LIBRARY_APPLICATION: library.application,
    LIBRARY_INSTANCE: library.instance,
    LIBRARY_MODE: library.mode,
    LIBRARY_STORY: storyFile,
    LIBRARY_DIRECTORY: directory,
  };
  return { library, recorder, program: new Program(library.command, environment) };
}

/** One check for each library that it concerns; what it answers or throws are the complaints. */
async function eachOf(claim, check, concerns = () => true) {
  await Promise.all(
    running.filter(concerns).map(async (one) => {
      const complaints = await check(one).catch((error) => [error.message]);
      report.check(`${one.library.title}: ${claim}`, complaints ?? []);
    }),
  );
}

/** Complaints about what those who are asked in the server's place do not know yet. */
async function untold() {
  const known = await (await fetch(`${LIBRARIES_URL}/api/client/features`, asProgram)).text();
  return Object.values(groups)
    .flat()
    .filter((flag) => !flag.missing && !flag.archived && !known.includes(JSON.stringify(flag.name)))
    .map((flag) => `${flag.name} is not known`);
}

function unchanged({ library, recorder }) {
  const asked = recorder.of(library.method, library.path);
  const repeated = asked.filter((exchange) => exchange.headers['if-none-match'] && exchange.status === 304);
  return repeated.length > 0 ? [] : [`of ${asked.length} requests none was answered 304`];
}

async function amiss({ library, recorder }) {
  const fine = { GET: [200, 304], POST: [200, 202, 304] };
  const refused = recorder.exchanges
    .filter(({ method, status }) => status && !fine[method]?.includes(status))
    .map(({ method, path, status, body }) => `${method} ${path} was answered ${status} ${body}`);
  const paths = new Set(recorder.exchanges.filter(({ method }) => method === 'GET').map((exchange) => exchange.path));
  const strange = [...paths].filter((path) => path !== library.path).map((path) => `it asks for ${path}`);
  const streams = recorder.of('GET', '/api/client/streaming').length;
  return [...refused, ...strange, ...(streams > 1 ? [`its stream broke: it opened ${streams}`] : [])];
}

async function end({ program, recorder }) {
  const trouble = await program.dismiss(60);
  recorder.close();
  return [trouble, program.complaints].filter(Boolean);
}
