// What the rehearsals share: the old server, what it gave out, and new ones beside it.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";

export const { OLD_URL, OLD_DATABASE, FLAGSTONE, SCRATCH, REPOSITORY } = process.env;

const dump = join(REPOSITORY, "tests/data/moving-in/unleash-6.3.0.expected.json.gz");
/** Tokens and passwords of the old server in clear. */
export const { secrets } = JSON.parse(gunzipSync(readFileSync(dump)));

/** What a command printed, with its exit code. The last argument may be variables. */
export function run(...given) {
  const variables = given.at(-1) instanceof Object ? given.pop() : {};
  return new Promise((resolve) => {
    const child = spawn(FLAGSTONE, given, { env: { ...process.env, ...variables } });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
    child.on("close", (code) => resolve({ code, text }));
  });
}

/** A port that nobody listens at. */
export const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const running = [];

/** Starts a server on a database; gives its address. */
export async function serve(database) {
  const port = await freePort();
  const child = spawn(FLAGSTONE, ["--listen", `127.0.0.1:${port}`, "--database-url", database], { stdio: "ignore" });
  running.push(child);
  const url = `http://127.0.0.1:${port}`;
  while (!(await isUp(url))) {
    if (child.exitCode !== null) throw new Error("the server does not start");
    await pause(50);
  }
  return url;
}

/** Ends every server that was started. */
export const stopAll = () => running.forEach((child) => child.kill());

/** Waits for the old server. */
export async function oldServer() {
  while (!(await isUp(OLD_URL))) await pause(100);
}

const isUp = (url) =>
  fetch(`${url}/health`).then(
    (answer) => answer.ok,
    () => false,
  );

/** Moves in by the database; gives what was printed. */
export const byDatabase = (target) => run("move-in", "--from", OLD_DATABASE, "--database-url", target);

/** Moves in by the API; gives what was printed. */
export const byApi = (target, ...more) =>
  run("move-in", "--from", OLD_URL, "--database-url", target, ...more, {
    FLAGSTONE_FROM_TOKEN: secrets.tokens.admin[0],
  });
