// Programs that ask all the time, through each of the field's client libraries, while their address changes owner.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { libraries as known } from "../libraries/libraries.mjs";
import { Program } from "../libraries/program.mjs";
import { Recorder } from "../libraries/recorder.mjs";
import { byDatabase, OLD_URL, oldServer, SCRATCH, secrets, serve, stopAll } from "./stage.mjs";

// The old server of this version knows neither differences nor streams.
const libraries = known.filter(({ mode }) => ["polling", "GET"].includes(mode));
// How often everything is asked, at least, before and after.
const ROUNDS = 4;
// How often flags are fetched, at least, before and after.
const FETCHES = 3;

const secretOf = (kind, environment, project) =>
  secrets.tokens[kind].find((token) => token.environment === environment && token.projects.includes(project)).secret;
const backend = secretOf("client", "production", "*");
const frontend = secretOf("frontend", "production", "shop");

// All that shares and variants stick to is there, or they would be drawn anew each time.
const contexts = [
  ["ada", { plan: "pro", tenantId: "acme", appVersion: "1.2.3", email: "ada@example.com" }],
  ["grace", { plan: "free", tenantId: "acme", appVersion: "2.0.0", cartValue: "100" }],
  ["42", { plan: "enterprise", tenantId: "globex", region: "eu", appVersion: "0.9.0", cartValue: "9.5" }],
  ["nobody", { tenantId: "nobody's" }],
  ["viewer", { plan: "pro", tenantId: "initech", region: "us", signedUpAt: "2026-01-01T00:00:00.000Z", userRoles: "buyer" }],
].map(([userId, properties]) => ({
  name: userId,
  context: { userId, sessionId: `session of ${userId}`, remoteAddress: "10.0.0.7", properties },
}));

/** The flags that a token is told of and that chance does not decide, neither itself nor through a parent. */
async function settledFlags() {
  const answer = await fetch(`${OLD_URL}/api/client/features`, { headers: { authorization: backend } });
  const { features } = await answer.json();
  const isDrawn = (feature) => JSON.stringify(feature).includes('"random"');
  const drawn = new Set(features.filter(isDrawn).map(({ name }) => name));
  const depends = ({ dependencies = [] }) => dependencies.some(({ feature }) => drawn.has(feature));
  return features.filter((feature) => !drawn.has(feature.name) && !depends(feature)).map(({ name }) => name);
}

/** A library at work: what it was answered at first, and whatever is not that later. */
function begin(library, flags, number) {
  const directory = join(SCRATCH, `program ${number}`);
  mkdirSync(directory);
  const story = join(directory, "story.json");
  writeFileSync(story, JSON.stringify({ questions: contexts.map((asked) => ({ ...asked, flags })) }));
  const recorder = new Recorder(OLD_URL);
  const first = new Map();
  const heard = { answers: 0, wrong: [] };
  const hear = (key, answer) => {
    heard.answers += 1;
    const text = JSON.stringify(answer);
    if (!first.has(key)) first.set(key, text);
    else if (first.get(key) !== text) heard.wrong.push(`${key}: ${text} after ${first.get(key)}`);
  };
  const start = async () => {
    const environment = {
      LIBRARY_URL: await recorder.listen(),
      LIBRARY_TOKEN: library.isAnsweredByServer ? frontend : backend,
      LIBRARY_APPLICATION: library.application,
      LIBRARY_INSTANCE: library.instance,
      LIBRARY_MODE: library.mode,
      LIBRARY_STORY: story,
      LIBRARY_DIRECTORY: directory,
    };
    return new Program(library.command, environment, hear);
  };
  return { library, recorder, first, heard, start };
}

/** Waits until a program has asked and fetched often enough since it had that many rounds and exchanges. */
async function goesOn({ program, recorder, library }, rounds, exchanges) {
  const fetched = () =>
    recorder.exchanges
      .slice(exchanges)
      .filter(({ method, path, status }) => method === library.method && path === library.path && status).length;
  let ended;
  program.ended.then((how) => (ended = how ?? "ended by itself"));
  while (program.rounds < rounds + ROUNDS || fetched() < FETCHES) {
    if (ended) throw new Error(`${library.title} ${ended}: ${program.complaints}`);
    await pause(20);
  }
}

let target;
let moveTold;

before(async () => {
  await oldServer();
  const database = `sqlite://${join(SCRATCH, "pointed-over.db")}`;
  const { code, text } = await byDatabase(database);
  assert.equal(code, 0, text);
  moveTold = text;
  target = await serve(database);
});

const running = [];
after(() => {
  running.forEach(({ program, recorder }) => {
    program.kill();
    recorder.close();
  });
  stopAll();
});

test("programs go on while their address leads from the old server to the new one", async (t) => {
  const settled = await settledFlags();
  assert.ok(settled.length > 30, `${settled.length} flags`);
  // The old server's frontend takes the time of now for every date, whatever the field: told by the move.
  const alike = settled.filter((name) => !moveTold.includes(`feature ${name} in`));
  for (const [number, library] of libraries.entries()) {
    const one = begin(library, library.isAnsweredByServer ? alike : settled, number);
    running.push({ ...one, program: await one.start() });
  }
  assert.equal(running.length, 4);
  await Promise.all(running.map((one) => goesOn(one, 0, 0)));
  const before = running.map(({ program, recorder, heard }) => ({
    rounds: program.rounds,
    exchanges: recorder.exchanges.length,
    answers: heard.answers,
  }));
  running.forEach(({ recorder }) => (recorder.target = new URL(target)));
  await Promise.all(running.map((one, index) => goesOn(one, before[index].rounds, before[index].exchanges)));

  for (const [index, { library, program, recorder, first, heard }] of running.entries()) {
    const exchanges = recorder.exchanges.length;
    t.diagnostic(
      `${library.title}: ${before[index].answers} answers over ${before[index].exchanges} requests to the old server, ` +
        `${heard.answers - before[index].answers} over ${exchanges - before[index].exchanges} to the new one, ` +
        `${heard.wrong.length} wrong`,
    );
    assert.deepEqual([...new Set(heard.wrong)].slice(0, 10), [], library.title);
    assert.ok(new Set(first.values()).size > 5, `${library.title} is told nothing of interest`);
    const failed = recorder.exchanges.filter(({ status }) => status >= 400);
    const shown = failed.map(({ method, path, status, body }) => `${method} ${path}: ${status} ${body}`);
    assert.deepEqual(shown, [], library.title);
    assert.equal(await program.dismiss(60), undefined, library.title);
    assert.equal(program.complaints, "", library.title);
  }
});
