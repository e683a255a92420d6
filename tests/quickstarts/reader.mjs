// Does what a document says, in one shell, as its reader would.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { agrees } from "./markdown.mjs";

const { FLAGSTONE_BINARY: binary, FROM_SOURCE: fromSource, REPOSITORY: repository, SCRATCH: scratch } = process.env;
// What the documents say, for which each test has an address of its own.
const address = "127.0.0.1:4242";
// They go on while their reader does the rest; the second ends the first.
const serving = /^(?:cargo run --release|flagstone --database-url \S+)$/;

// A reader with an empty directory, a place to listen at, and `flagstone` on the search path. What `cargo` would build is
// there already; everything else it does as ever. `places` are further texts of documents, with what stands for them here.
export async function newReader(environment = {}, places = {}) {
  const home = await mkdtemp(join(scratch, "reader."));
  const [programs, directory] = [join(home, "bin"), join(home, "work")];
  await mkdir(programs);
  await mkdir(directory);
  await symlink(binary, join(programs, "flagstone"));
  // Each package that is added takes those out of the lock file that only later ones need.
  const locked = '[ -z "${LOCKED:-}" ] || cp "$LOCKED" Cargo.lock';
  const built = `mkdir -p target/release && ln -sfn ${binary} target/release/flagstone && exec target/release/flagstone`;
  const cargo = `#!/bin/sh\n[ "$*" = "run --release" ] && { ${built}; }\n${locked}\nPATH=\${PATH#*:} exec cargo "$@"\n`;
  await writeFile(join(programs, "cargo"), cargo, { mode: 0o755 });
  const listen = `127.0.0.1:${await freePort()}`;
  const env = { ...process.env, ...environment, FLAGSTONE_LISTEN: listen, RUST_LOG: "warn" };
  delete env.DATABASE_URL;
  return { home, directory, listen, places: { [address]: listen, ...places }, env: { ...env, PATH: `${programs}:${process.env.PATH}` } };
}

// What is no part of the repository, and large.
const isLeft = (path) => [".git", "target"].includes(relative(repository, path)) || basename(path) === "node_modules";

// A reader whose directory is a fresh clone of the repository as it is now, where `flagstone` is what `cargo run --release`
// built. With FROM_SOURCE that really builds it.
export async function newCloner() {
  const reader = await newReader();
  await rm(join(reader.home, "bin/flagstone"));
  if (fromSource) {
    await rm(join(reader.home, "bin/cargo"));
    delete reader.env.CARGO_TARGET_DIR;
  }
  const source = join(reader.home, "source");
  await cp(repository, source, { recursive: true, verbatimSymlinks: true, filter: (path) => !isLeft(path) });
  git(source, "init", "--quiet", "--initial-branch", "main");
  git(source, "add", "--all");
  const author = ["-c", "user.name=Reader", "-c", "user.email=reader@localhost", "-c", "commit.gpgsign=false"];
  git(source, ...author, "commit", "--quiet", "--message", "As it is now");
  reader.cloned = Date.now();
  git(".", "clone", "--quiet", source, reader.directory);
  return reader;
}

// What `git status` finds in the reader's clone.
export const unclean = (reader) => git(reader.directory, "status", "--porcelain").split("\n").filter(Boolean);

const git = (directory, ...parameters) => execFileSync("git", ["-C", directory, ...parameters], { encoding: "utf8" });

// Starts a server beside the reader, who finds its database; other readers can join them.
export async function serve(reader) {
  const directory = join(reader.home, "server");
  await mkdir(directory);
  const server = spawn(binary, { cwd: directory, env: reader.env, stdio: "ignore" });
  await listening(reader.listen);
  const { listen } = reader;
  const welcome = (other) => {
    other.env.DATABASE_URL = `sqlite://${join(directory, "flagstone.db")}`;
    other.places[address] = listen;
  };
  welcome(reader);
  const stop = async () => {
    server.kill();
    await once(server, "exit");
  };
  return { join: welcome, stop };
}

// Takes the steps in order, and compares what each says with what the document shows.
export async function follow(reader, steps) {
  const here = (text) => Object.entries(reader.places).reduce((now, [there, place]) => now.replaceAll(there, place), text);
  const at = (index, kind) => join(reader.home, `${index}.${kind}`);
  const script = ["set -euo pipefail", `cd ${reader.directory}`];
  for (const [index, step] of steps.entries()) {
    if (step.file) {
      await writeFile(at(index, "file"), here(step.text));
      script.push(`cp ${at(index, "file")} ${step.file}`);
      continue;
    }
    const outputs = `>${at(index, "out")} 2>${at(index, "err")}`;
    if (serving.test(step.run.trim())) {
      script.push('[[ -z ${server:-} ]] || { kill "$server"; wait "$server" || true; }');
      script.push(`${here(step.run.trim())} ${outputs} & server=$!`, 'trap "kill $server; wait $server" EXIT');
      // It listens before it has made what a first start makes, and answers afterwards.
      const alive = 'kill -0 "$server" || exit 1';
      script.push(`until curl --silent --fail --output ${at(index, "health")} http://${reader.listen}/health; do ${alive}; sleep 0.05; done`);
      script.push(`date +%s%3N >${at(index, "answered")}`);
    } else {
      script.push(`{\n${here(step.run)}} ${outputs}`);
    }
  }
  const shell = spawn("bash", ["-c", script.join("\n")], { env: reader.env, stdio: "ignore" });
  const [status] = await once(shell, "exit");
  for (const [index, { run, expected }] of steps.entries()) {
    reader.answered ??= Number(await readIfThere(at(index, "answered"))) || undefined;
    const [output, errors] = await Promise.all(["out", "err"].map((kind) => readIfThere(at(index, kind))));
    if (!run || output === undefined) continue;
    const story = `${run}\nsaid:\n${output}\n${errors}`;
    if (expected) assert.ok(agrees(here(expected), output), `${story}\ninstead of:\n${here(expected)}`);
    // The shell stops at what fails.
    const isLast = (await readIfThere(at(index + 1, "out"))) === undefined && steps[index + 1]?.run;
    if (status !== 0 && (isLast || index === steps.length - 1)) assert.fail(story);
  }
  assert.equal(status, 0);
}

const readIfThere = (path) => readFile(path, "utf8").catch(() => undefined);

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function listening(listen) {
  for (let tries = 0; tries < 2400; tries++) {
    if (await fetch(`http://${listen}/health`).then((answer) => answer.ok, () => false)) return;
    await pause(50);
  }
  throw new Error("Flagstone does not start");
}
