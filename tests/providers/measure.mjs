// What a sign-in costs the server beside one with a password: processor time by /proc, over many of each.
//
// `tests/providers/run --measure` runs it on the program that FLAGSTONE_BINARY names, or else on a debug build, which takes more.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { oidcProvider } from "./oidc-provider.mjs";
import { freeAddress } from "./place.mjs";
import { samlProvider } from "./samlp.mjs";
import { password, server } from "./server.mjs";
import { Visitor } from "./visitor.mjs";

const times = 100;
// As many as one name may try with a password in a minute.
const passwords = 25;
// Linux counts in hundredths of a second.
const tickMs = 10;

const operated = await server();
const { base } = operated;
const providers = [await oidcProvider(base), await samlProvider(base)];
await operated.start({ RUST_LOG: "warn" });
const policy = await operated.ask("/api/admin/auth/policy");
await operated.ask("/api/admin/auth/policy", { method: "PUT", body: { ...policy, ...providers[1].policy } });

function spentMs() {
  const fields = readFileSync(`/proc/${operated.pid()}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

async function measure(name, once, count = times) {
  await once();
  const before = spentMs();
  for (let time = 0; time < count; time += 1) await once();
  console.log(`${name.padEnd(40)} ${((spentMs() - before) / count).toFixed(1)} ms`);
}

await measure("a request that does nothing", async () => {
  await new Visitor(base).ask("/auth/options");
});
await measure("a sign-in with a password", async () => {
  const body = { username: "admin", password };
  const { status } = await new Visitor(base).ask("/auth/simple/login", { method: "POST", body });
  assert.equal(status, 200);
}, passwords);
for (const provider of providers) {
  await provider.start();
  const body = { enabled: true, autoCreate: true, ...provider.settings() };
  await operated.ask(`/api/admin/auth/${provider.protocol}/settings`, { method: "POST", body });
  await measure(`a sign-in through ${provider.name} (${provider.protocol})`, async () => {
    const landed = await new Visitor(base).go(`/auth/${provider.protocol}/login`, provider.answers);
    assert.equal(landed.url, `${base}/`, landed.text);
  });
  await provider.stop();
}
await operated.stop();
