// The documents do what they say, and lead where they say.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { access, cp, copyFile, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { agrees, read } from "./markdown.mjs";
import { follow, newCloner, newReader, serve, unclean } from "./reader.mjs";

const { REPOSITORY: repository, TARGET: target } = process.env;
const here = (...path) => join(import.meta.dirname, ...path);
const document = async (path) => read(await readFile(join(repository, path), "utf8"));

const readme = await document("README.md");
const starts = await document("docs/quick-starts.md");

// The sections of the README that are followed, in their order.
const titles = [...readme.keys()];
const followed = titles.slice(titles.indexOf("Run"), titles.indexOf("What there is"));
const steps = (sections) => sections.flatMap((title) => readme.get(title));
const withExport = (directory) =>
  copyFile(join(repository, "tests/data/webshop.production.json"), join(directory, "export.json"));

// One server for all quick starts, on which the README was followed before.
let server;

before(async () => {
  const reader = await newReader();
  server = await serve(reader);
  await withExport(reader.directory);
  await follow(reader, steps(followed.slice(1)));
});

after(() => server?.stop());

// A reader of a quick start in a directory that holds those files.
async function follows(title, environment, files = []) {
  const reader = await newReader(environment);
  server.join(reader);
  for (const [folder, name] of files) {
    await cp(here(folder, name), join(reader.directory, name), { recursive: true, verbatimSymlinks: true });
  }
  // The preparation ends in an empty directory; here it is the one with the files.
  const preparation = starts.get("").map((step) => ({ ...step, run: step.run.replace('cd "$(mktemp -d)"\n', "") }));
  await follow(reader, [...preparation, ...starts.get(title)]);
  return reader;
}

test("every quick start is tested", () => {
  const titles = [...starts.keys()].filter((title) => title && starts.get(title).length);
  assert.deepEqual(titles, ["curl", "TypeScript", "Python", "Rust"]);
});

test("what a document elides may be anything, and nothing else may differ", () => {
  assert.ok(agrees('{"id":1,…}\n', '{"id":1,"name":"a"}'));
  assert.ok(!agrees('{"id":1,…}', '{"id":2,"name":"a"}'));
  assert.ok(!agrees("on", "on\noff"));
  assert.ok(!agrees("a.c", "abc"));
  assert.ok(agrees("a\n…\nd\n", "a\nb\nc\nd"));
  assert.ok(agrees("a\n…\nd\n", "a\nd"));
  assert.ok(!agrees("a\n…\nd\n", "a\nb\nc\ne"));
  assert.ok(agrees("a\n…\n", "a\nb"));
});

test("a command that fails, or says something else than is shown, is found out", async () => {
  for (const wrong of ["```sh\nfalse\n```\n\n```sh\ntrue\n```\n", "```sh\necho on\n```\n\n```text\noff\n```\n"]) {
    await assert.rejects(async () => follow(await newReader(), read(wrong).get("")), /said:/);
  }
});

test("the README in a fresh clone, which nothing but the reader's own file changes", async (context) => {
  const reader = await newCloner();
  await withExport(reader.directory);
  await follow(reader, steps(followed));
  context.diagnostic(`from the clone to the first answer: ${((reader.answered - reader.cloned) / 1000).toFixed(1)} s`);
  assert.deepEqual(unclean(reader), ["?? export.json"]);
});

test("programs end with the codes of docs/operations.md", async () => {
  const operations = await readFile(join(repository, "docs/operations.md"), "utf8");
  assert.deepEqual([...operations.matchAll(/^\| (\d) \| /gm)].map(([, code]) => Number(code)), [0, 1, 2]);
  const { directory, env } = await newReader();
  await writeFile(join(directory, "unknown.toml"), "listne = 1\n");
  const cases = [
    [0, "--version"], [0, "config check"], [0, "config check --edge -- --upstream http://127.0.0.1:1 --tokens *:a.b"],
    [1, "user list"], [1, "events verify"], [1, "doctor"], [1, "backup verify absent"], [1, "manual absent"],
    [1, "check ready --url http://127.0.0.1:1"], [1, "config check --config unknown.toml"],
    [1, "serve --tls-key absent"], [1, "serve --database-url absent"], [1, "edge"],
    [2, "absent"], [2, "serve --absent"], [2, "serve --listen absent"], [2, "serve --config absent"],
    [2, "serve --config unknown.toml"], [2, "user list --config unknown.toml"], [2, "serve", { DATABASE_URL_FILE: "absent" }],
    [2, "serve", { FLAGSTONE_SESSION_HOURS: "absent" }], [2, "export --all"],
  ];
  for (const [code, parameters, variables] of cases) {
    const { status, stderr } = spawnSync("flagstone", parameters.split(" "), { cwd: directory, env: { ...env, ...variables } });
    assert.equal(status, code, `flagstone ${parameters} ${JSON.stringify(variables ?? {})}: ${stderr}`);
  }
});

test("a backup is made and restored as docs/backup.md says", async () => {
  const backup = await document("docs/backup.md");
  await follow(await newReader(), backup.get("SQLite"));
});

test("files of every product move in as docs/moving-in-from-files.md says", async () => {
  const moving = await document("docs/moving-in-from-files.md");
  const titles = [...moving.keys()].filter((title) => moving.get(title).length);
  const folders = titles.map((title) => title.toLowerCase().replaceAll(" ", "-"));
  assert.deepEqual(folders.sort(), await readdir(join(repository, "tests/data/vendors")).then((all) =>
    all.filter((name) => !name.includes(".")).sort()));
  for (const title of titles) {
    const reader = await newReader();
    const samples = join(repository, "tests/data/vendors", title.toLowerCase().replaceAll(" ", "-"));
    await cp(samples, reader.directory, { recursive: true });
    await follow(reader, moving.get(title));
  }
});

test("what documents link to is there", async () => {
  const folders = ["", "docs", "docs/security"];
  const listed = await Promise.all(folders.map(async (folder) =>
    (await readdir(join(repository, folder))).filter((name) => name.endsWith(".md")).map((name) => join(folder, name))));
  const anchors = (text) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-"));
  const missing = [];
  for (const path of listed.flat()) {
    const text = await readFile(join(repository, path), "utf8");
    for (const [, link] of text.replace(/```[\s\S]*?```/g, "").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file, anchor] = link.split("#");
      const target = file ? join(dirname(path), file) : path;
      const isThere = await access(join(repository, target)).then(() => true, () => false);
      const leads = isThere && (!anchor || anchors(await readFile(join(repository, target), "utf8")).includes(anchor));
      if (!leads) missing.push(`${path}: ${link}`);
    }
  }
  assert.deepEqual(missing, []);
});

test("curl", () => follows("curl"));

test("TypeScript", async () => {
  const files = ["package.json", "package-lock.json", "node_modules"].map((name) => ["typescript", name]);
  const quiet = { npm_config_audit: "false", npm_config_fund: "false", npm_config_prefer_offline: "true" };
  const reader = await follows("TypeScript", quiet, files);
  const packages = async (path) => {
    const { packages } = JSON.parse(await readFile(path, "utf8"));
    return Object.entries(packages).map(([name, { version }]) => `${name} ${version}`).slice(1);
  };
  const used = await packages(join(reader.directory, "package-lock.json"));
  assert.deepEqual(used, await packages(here("typescript/package-lock.json")), "other versions than those locked");
});

test("Python", () => follows("Python", { PIP_CONSTRAINT: here("python/requirements.txt"), PIP_DISABLE_PIP_VERSION_CHECK: "1" }));

test("Rust", async () => {
  const locked = here("rust/Cargo.lock");
  const environment = {
    CARGO_TARGET_DIR: join(target, "tests/quickstarts"), CARGO_PROFILE_DEV_DEBUG: "0", LOCKED: locked,
  };
  const reader = await follows("Rust", environment);
  const used = await readFile(join(reader.directory, "Cargo.lock"), "utf8");
  assert.ok(used === await readFile(locked, "utf8"), "other versions than those locked");
});
