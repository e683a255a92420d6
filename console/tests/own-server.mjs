// A server that a test may stop: begun before the other parts of the tests are loaded, which then speak to this one.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * The program on an empty database of its own, which stays while it is stopped. By the name `localhost` its pages have
 * passkeys.
 */
export async function ownServer({ name = "127.0.0.1" } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "console-"));
  const port = await freePort();
  const listen = `127.0.0.1:${port}`;
  process.env.FLAGSTONE_URL = `http://${name}:${port}`;
  let running;

  async function start() {
    const { DATABASE_URL: _, ...environment } = process.env;
    running = spawn(process.env.FLAGSTONE, [], {
      cwd: directory,
      stdio: "ignore",
      env: {
        ...environment,
        FLAGSTONE_LISTEN: listen,
        FLAGSTONE_BASE_URL: process.env.FLAGSTONE_URL,
        RUST_LOG: "warn",
      },
    });
    for (;;) {
      if (running.exitCode !== null) throw new Error("the server does not start");
      const answer = await fetch(`http://${listen}/health`).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function stop() {
    if (!running || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGTERM");
    await gone;
  }

  await start();
  after(async () => {
    await stop();
    await rm(directory, { recursive: true, force: true });
  });
  return { start, stop, directory };
}
