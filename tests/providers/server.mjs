// A server of its own, on SQLite, as its operator runs it: with an environment, and with commands beside it.
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { asker, freeAddress, program, scratch } from "./place.mjs";

const binary = process.env.FLAGSTONE_PROGRAM;
export const password = "Tests-Admin-1";

// `base` is the public address; without one, it is where the server listens.
export async function server({ base } = {}) {
  const cwd = mkdtempSync(join(scratch, "operated-"));
  const { port } = await freeAddress();
  const address = `http://127.0.0.1:${port}`;
  const all = {
    FLAGSTONE_LISTEN: `127.0.0.1:${port}`,
    FLAGSTONE_BASE_URL: base ?? address,
    FLAGSTONE_TRUSTED_PROXIES: "127.0.0.1",
    DATABASE_URL: "sqlite://flagstone.db",
    RUST_LOG: "debug",
    INIT_ADMIN_API_TOKENS: process.env.FLAGSTONE_ADMIN_TOKEN,
    UNLEASH_DEFAULT_ADMIN_USERNAME: "admin",
    UNLEASH_DEFAULT_ADMIN_PASSWORD: password,
  };
  let env = {};
  let running;
  return {
    address,
    base: base ?? address,
    // With these variables besides, which commands beside it have too.
    async start(variables = {}) {
      env = { ...all, ...variables };
      running = await program(binary, ["serve"], { url: `${address}/health`, cwd, env });
    },
    stop: () => running.stop(),
    pid: () => running.pid,
    said: () => running.said(),
    // A command of the program beside it; gives what it prints.
    async command(...words) {
      const { stdout } = await promisify(execFile)(binary, words, { cwd, env: { ...process.env, ...env } });
      return stdout;
    },
    ask: asker(address),
  };
}
