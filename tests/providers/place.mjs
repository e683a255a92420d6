// The server that is proven, as its administrator sees it, and what providers need to run here.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const { BASE_URL: base, REPOSITORY: repository, PROVIDERS_SCRATCH: scratch, PROVIDERS_PYTHON: python } = process.env;
const patienceMs = 60_000;

// The keys of made-up providers: files, their names without the ending.
export const keyFile = (name) => join(repository, `tests/saml/keys/${name}.key`);
export const certificateFile = (name) => join(repository, `tests/saml/keys/${name}.crt`);
export const key = (name) => readFileSync(keyFile(name), "utf8");
export const certificate = (name) => readFileSync(certificateFile(name), "utf8");

// Those of the server itself, by which it signs what it asks SAML providers.
export const ourKey = () => readFileSync(join(scratch, "server.key"), "utf8");
export const ourCertificate = () => readFileSync(join(scratch, "server.crt"), "utf8");

// What the API of the server at an address tells its administrator.
export const asker = (address) =>
  async function ask(path, { method = "GET", body, status = [200, 201] } = {}) {
    const headers = { authorization: process.env.FLAGSTONE_ADMIN_TOKEN, "content-type": "application/json" };
    const answer = await fetch(address + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    assert.ok([status].flat().includes(answer.status), `${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
export const ask = asker(base);

// The users who have somebody's email.
export async function people({ email }, by = ask) {
  const { users } = await by("/api/admin/user-admin");
  return users.filter((user) => user.email === email);
}

// Deletes them, and whom providers know them as: whoever comes next is a newcomer.
export async function forget(person, by = ask) {
  for (const { id } of await people(person, by)) {
    await by(`/api/admin/user-admin/${id}/identities`, { method: "DELETE" });
    await by(`/api/admin/user-admin/${id}`, { method: "DELETE" });
  }
}

// Waits until something is so, which the other node may learn a moment later.
export async function until(what, isSo) {
  const end = Date.now() + patienceMs;
  for (;;) {
    if (await isSo()) return;
    assert.ok(Date.now() < end, `it never came true that ${what}`);
    await pause(100);
  }
}

// Providers are on `localhost` and the server is on 127.0.0.1: two sites, as they are in life.
export async function freeAddress() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return { port, url: `http://localhost:${port}` };
}

// A provider that is a program of its own, from its start until it answers at `url`. Gives what ends it.
export async function program(command, options, { url, env = {}, cwd = scratch }) {
  const child = spawn(command, options, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said = (said + data).slice(-1_000_000)));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill();
    await ended;
  };
  process.once("exit", () => child.kill());
  try {
    await until(`${url} answers`, async () => {
      assert.equal(child.exitCode, null, `${command} ended: ${said}`);
      return fetch(url, { redirect: "manual" }).then((answer) => answer.status < 500, () => false);
    });
  } catch (error) {
    await stop();
    // The first lines tell why; what follows repeats itself.
    throw new Error(`${command} does not start: ${said.slice(0, 8000)}`, { cause: error });
  }
  return { stop, pid: child.pid, said: () => said };
}
