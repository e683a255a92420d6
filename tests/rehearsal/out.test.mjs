// docs/moving-out.md, followed to a running Unleash 5.6 and 6.10: both take what is exported for them, and nobody gets
// more.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { read } from "../quickstarts/markdown.mjs";
import { follow, newReader } from "../quickstarts/reader.mjs";
import {
  byDatabase, freePort, OLD_DATABASE, oldServer, REPOSITORY, run, SCRATCH, secrets, serve, stopAll,
} from "./stage.mjs";

const document = read(readFileSync(join(REPOSITORY, "docs/moving-out.md"), "utf8"));
const ADMIN = "*:*.administrator-of-the-rehearsal";
// What programs show to both sides.
const tokens = secrets.tokens.client.filter(({ environment, projects, secret }) =>
  ["development", "production"].includes(environment) && projects.includes("*") && secret.startsWith("*:"));
const server = OLD_DATABASE.slice(0, OLD_DATABASE.lastIndexOf("/"));
const sql = (database, statement) =>
  runProgram("psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", database, "--command", statement);

/** What a program printed; it must end well. */
async function runProgram(program, ...given) {
  const child = spawn(program, given);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, text);
  return text;
}

const others = [];

/** A new Unleash of a version that package.json names, with its database. */
async function unleash(name) {
  const database = `${server}/${name.replaceAll(/[^a-z0-9]/g, "_")}`;
  await sql(OLD_DATABASE, `CREATE DATABASE ${database.split("/").at(-1)} TEMPLATE template0`);
  const port = await freePort();
  const child = spawn("node", [join(REPOSITORY, `tests/rehearsal/node_modules/${name}/dist/server.js`)], {
    cwd: SCRATCH,
    stdio: "ignore",
    env: {
      ...process.env, DATABASE_URL: database, DATABASE_SSL: "false", HTTP_PORT: port, HTTP_HOST: "127.0.0.1",
      CHECK_VERSION: "false", SEND_TELEMETRY: "false", LOG_LEVEL: "error", NODE_ENV: "production",
      INIT_ADMIN_API_TOKENS: ADMIN, INIT_CLIENT_API_TOKENS: tokens.map(({ secret }) => secret).join(),
    },
  });
  others.push(child);
  const url = `http://127.0.0.1:${port}`;
  const isUp = () => fetch(`${url}/health`).then(({ ok }) => ok, () => false);
  while (!(await isUp())) {
    assert.equal(child.exitCode, null, `${name} does not start`);
    await pause(200);
  }
  return { url, database };
}

let ours;
let file;

before(async () => {
  await oldServer();
  file = join(SCRATCH, "moving-out.db");
  const { code, text } = await byDatabase(`sqlite://${file}`);
  assert.equal(code, 0, text);
  ours = await serve(`sqlite://${file}`);
});

after(() => {
  stopAll();
  others.forEach((child) => child.kill());
});

/** Follows a section; gives what the export told. */
async function followed(section, variables, places) {
  const reader = await newReader(variables, { "sqlite://flagstone.db": `sqlite://${file}`, ...places });
  await follow(reader, document.get(section));
  const version = section.toLowerCase().replace(" ", "-");
  const again = join(reader.directory, "again");
  const { code, text } = await run(
    ...["export", "--all", "--for", version, "--output", again, "--database-url", `sqlite://${file}`],
  );
  assert.equal(code, 0, text);
  return text;
}

/** Nothing differs that was not told, and where it does, nobody gets more. */
async function compared(url, told, name) {
  const listed = join(SCRATCH, "tokens of moving-out.txt");
  writeFileSync(listed, tokens.map(({ secret }) => secret).join("\n"));
  const report = join(SCRATCH, `${name}.json`);
  const { text } = await run(...["compare", "--old", ours, "--new", url, "--tokens", listed, "--report", report]);
  const found = JSON.parse(readFileSync(report, "utf8"));
  assert.equal(found.length, tokens.length, text);
  for (const { token, missing, added, decided } of found) {
    assert.deepEqual({ missing, added }, { missing: [], added: [] }, token);
    const untold = decided.filter(({ feature }) => !told.includes(`${feature} in `));
    assert.deepEqual(untold, [], token);
    const wider = decided.flatMap(({ feature, examples }) => examples.map((example) => ({ feature, ...example })))
      .filter(({ old, new: now }) => old === "off" && now !== "off");
    assert.deepEqual(wider, [], token);
  }
}

test("docs/moving-out.md leads to Unleash 5", async () => {
  assert.ok(tokens.length > 1, `${tokens.length} tokens`);
  const { url } = await unleash("unleash-5");
  const told = await followed("Unleash 5", { ADMIN_TOKEN: ADMIN }, { "https://unleash-5.internal": url });
  await compared(url, told, "to-unleash-5");
});

test("docs/moving-out.md leads to Unleash 6", async () => {
  const { url, database } = await unleash("unleash-6");
  const state = await stateOf();
  const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
  const add = (table, columns, values) =>
    sql(database, `INSERT INTO ${table} (${columns}) VALUES (${values.map(quoted)}) ON CONFLICT DO NOTHING`);
  for (const { id, name } of state.projects) await add("projects", "id, name", [id, name]);
  for (const { name, type } of state.environments) await add("environments", "name, type", [name, type]);
  await sql(database, "INSERT INTO project_environments (project_id, environment_name) " +
    "SELECT projects.id, environments.name FROM projects, environments ON CONFLICT DO NOTHING");
  const variables = { PERSONAL_TOKEN: await personalToken(url) };
  const told = await followed("Unleash 6", variables, { "https://unleash-6.internal": url });
  await compared(url, told, "to-unleash-6");
});

async function stateOf() {
  const directory = join(SCRATCH, "all of moving-out");
  const { code, text } = await run("export", "--all", "--output", directory, "--database-url", `sqlite://${file}`);
  assert.equal(code, 0, text);
  return JSON.parse(await readFile(join(directory, "state.json"), "utf8"));
}

/** A token of the person whom every new Unleash has. */
async function personalToken(url) {
  const post = (path, body, more = {}) => {
    const headers = { "content-type": "application/json", ...more };
    return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const signedIn = await post("/auth/simple/login", { username: "admin", password: "unleash4all" });
  const cookie = signedIn.headers.getSetCookie().map((value) => value.split(";")[0]).join("; ");
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const made = await post("/api/admin/user/tokens", { description: "rehearsal", expiresAt }, { cookie });
  return (await made.json()).secret;
}
