// What a sign-in costs the server beside one with a password, and what a hostile response does: processor time by /proc,
// over many of each.
//
// `tests/providers/run --measure` runs it on the program that FLAGSTONE_BINARY names, or else on a debug build, which takes more.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { hostile } from "./hostile.mjs";
import { oidcProvider } from "./oidc-provider.mjs";
import { forget } from "./place.mjs";
import { asFurther, inSettings } from "./registration.mjs";
import { samlProvider } from "./samlp.mjs";
import { password, server } from "./server.mjs";
import { Visitor } from "./visitor.mjs";

const times = 100;
// All ways to sign in are measured by turns, so often, and the cheapest of each counts: what else the machine does differs.
const rounds = 3;
// As many as one name may try with a password in a minute.
const passwords = 25;
// How often each hostile response is sent; the median counts.
const hostileTimes = 15;
// Linux counts in hundredths of a second.
const tickMs = 10;

const operated = await server();
const { base } = operated;
const measured = [];
for (const [protocol, make] of [["oidc", oidcProvider], ["saml", samlProvider]]) {
  for (const at of [inSettings(protocol, operated), asFurther(protocol, `further-${protocol}`, operated)]) {
    measured.push({ at, provider: await make(at) });
  }
}
await operated.start({ RUST_LOG: "warn" });

function spentMs() {
  const fields = readFileSync(`/proc/${operated.pid()}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

// To the microsecond, but without threads that have ended.
function threadsMs() {
  const place = `/proc/${operated.pid()}/task`;
  const spent = (thread) => Number(readFileSync(`${place}/${thread}/schedstat`, "utf8").split(" ")[0]);
  return readdirSync(place).reduce((sum, thread) => sum + spent(thread), 0) / 1e6;
}

async function costMs(once, count = times) {
  await once();
  const before = spentMs();
  for (let time = 0; time < count; time += 1) await once();
  return (spentMs() - before) / count;
}

const tell = (name, ms) => console.log(`${name.padEnd(62)} ${ms.toFixed(1)} ms`);

async function median(once, count) {
  const costs = [];
  for (let time = 0; time < count; time += 1) {
    const before = threadsMs();
    await once();
    costs.push(threadsMs() - before);
  }
  return costs.sort((one, other) => one - other)[Math.floor(count / 2)];
}

// Somebody who keeps the response that their provider has them send.
class Keeper extends Visitor {
  constructor(callback) {
    super(base);
    this.callback = callback;
  }

  async send(url, how = {}) {
    if (how.method === "POST" && url === this.callback) this.sent = new URLSearchParams(how.body);
    return super.send(url, how);
  }
}

async function measureHostile(provider, { login, callback }) {
  const keeper = new Keeper(callback);
  await keeper.go(login, provider.answers);
  const signed = Buffer.from(keeper.sent.get("SAMLResponse"), "base64").toString();
  for (const bytes of [256 << 10, 1 << 20]) {
    const costs = [];
    for (const [name, xml] of [["the response as it was", signed], ...hostile(signed, bytes)]) {
      const body = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString("base64") }).toString();
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const ms = await median(async () => {
        const { status } = await new Visitor(base).send(callback, { method: "POST", body, headers });
        assert.ok(status >= 400 && status < 500, `${name}: ${status}`);
      }, hostileTimes);
      costs.push({ name, ms });
    }
    costs.sort((one, other) => other.ms - one.ms);
    const told = costs.slice(0, 5).map(({ name, ms }) => `${ms.toFixed(1)} ms ${name}`);
    console.log(`hostile responses of ${bytes >> 10} KiB, the costliest of ${costs.length}:\n  ${told.join("\n  ")}`);
  }
}

async function signInMs({ at, provider }, round) {
  await provider.start();
  await at.prepare(provider);
  await at.save(at.content(provider));
  const ms = await costMs(async () => {
    const landed = await new Visitor(base).go(at.login, provider.answers);
    assert.equal(landed.url, `${base}/`, landed.text);
  });
  if (round === rounds && at.protocol === "saml" && !at.id) await measureHostile(provider, at);
  await at.remove();
  await forget(provider.person, operated.ask);
  await provider.stop();
  return ms;
}

const nothing = await costMs(async () => {
  await new Visitor(base).ask("/auth/options");
});
tell("a request that does nothing", nothing);
const byPassword = await costMs(async () => {
  const body = { username: "admin", password };
  const { status } = await new Visitor(base).ask("/auth/simple/login", { method: "POST", body });
  assert.equal(status, 200);
}, passwords);
tell("a sign-in with a password", byPassword);
const cheapest = new Map();
for (let round = 1; round <= rounds; round += 1) {
  for (const way of measured) {
    const ms = await signInMs(way, round);
    cheapest.set(way, Math.min(ms, cheapest.get(way) ?? Infinity));
  }
}
for (const [{ at, provider }, ms] of cheapest) tell(`a sign-in through ${provider.name} ${at.title}`, ms);
await operated.stop();
