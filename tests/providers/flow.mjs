// What every provider is put through: one file for each calls this with the provider that it describes.
//
// A provider has a `name` and a `protocol`; `settings()` by which the server trusts it now and, with `rotate()`, after the
// change of its key; a `person` {email, name} who answers its pages with `answers`; `tell(groups)`, which changes what it
// says of the person's groups. `signOut` are the answers to its pages about signing out, `signOutThere` the address where
// one signs out with the provider first, and `forgetful` is true for one that keeps no session of its own. `secondFactor` has
// `enrol()`, after which the provider asks for a code, and which gives the function that tells it; `forget()`; and the
// `settings` by which the server insists on a second factor, if the protocol has any.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, base, set, until } from "./place.mjs";
import { Visitor } from "./visitor.mjs";

const off = { enabled: false };

// Gives how one signs in, for what is special about the provider.
export function proves(provider) {
  const { name, protocol, person, answers } = provider;
  const login = `/auth/${protocol}/login`;
  const grouped = { enableGroupSyncing: true, groupJsonPath: provider.groups ?? "groups" };
  const use = (change = {}) => set(protocol, { enabled: true, autoCreate: true, ...provider.settings(), ...change });

  before(async () => {
    const policy = await ask("/api/admin/auth/policy");
    await ask("/api/admin/auth/policy", { method: "PUT", body: { ...policy, ...provider.policy } });
    // What the server says of itself holds its key.
    await use();
    await provider.start();
  });
  after(async () => {
    await set(protocol, off);
    await provider.stop();
  });

  // Somebody in a browser of their own, who goes to the login and back.
  async function visit(path = login, more = {}) {
    const visitor = new Visitor();
    const landed = await visitor.go(path, { ...answers, ...more });
    return { visitor, landed };
  }

  async function signIn(path, more) {
    const { visitor, landed } = await visit(path, more);
    assert.ok(!landed.text, `${name} leads to ${landed.status} ${landed.url}: ${landed.text}`);
    return { visitor, landed };
  }

  // The newest entry of the log like this. A node writes what it notes a moment later.
  async function entryOf(query, isMeant) {
    let entry;
    await until("the log tells of it", async () => {
      entry = (await ask(`/api/admin/auth/sign-ins${query}`)).signIns.find(isMeant);
      return entry;
    });
    return entry;
  }

  // That somebody is shown no more than an id, by which the log tells the reason.
  async function refused({ landed }, status) {
    assert.equal(landed.status, status, landed.text);
    assert.match(landed.headers.get("content-type"), /^text\/html/);
    assert.ok(landed.url.startsWith(`${base}/auth/${protocol}/callback`), landed.url);
    const [, id] = landed.text.match(/<code>([0-9a-f-]{36})<\/code>/);
    const entry = await entryOf(`?errorId=${id}`, () => true);
    assert.equal(entry.outcome, "refused");
    assert.equal(entry.method, protocol);
    assert.match(entry.explanation, /\.$/);
    for (const told of [entry.reason, entry.explanation, entry.found, entry.expected, entry.subject]) {
      assert.ok(!told || !landed.text.includes(told), `the page tells ${told}`);
    }
    const { events } = await ask("/api/admin/logins");
    const shown = events.find((event) => event.id === entry.id);
    assert.deepEqual([shown.successful, shown.failure_reason], [false, entry.reason]);
    return entry;
  }

  async function people() {
    const { users } = await ask("/api/admin/user-admin");
    return users.filter((user) => user.email === person.email);
  }

  test(`${name}: somebody whom the settings do not invite is shown an id, and the log tells the reason`, async () => {
    await use({ emailDomains: "elsewhere.example" });
    const entry = await refused(await visit(), 403);
    assert.deepEqual([entry.reason, entry.subject], ["domain-not-allowed", person.email]);
    assert.deepEqual(await people(), []);
    await use();
  });

  test(`${name}: the settings are tried before anybody signs in by them`, async () => {
    await ask("/api/admin/groups", { method: "POST", body: { name: `${name} ops`, mappingsSSO: [`${name}-ops`] } });
    await provider.tell([`${name}-ops`, "else"]);
    await set(protocol, off);
    const body = { enabled: true, autoCreate: true, ...provider.settings(), ...grouped };
    const trial = await ask(`/api/admin/auth/${protocol}/test`, { method: "POST", body });
    assert.deepEqual(trial.checks.filter(({ ok }) => !ok), []);
    const result = `/api/admin/auth/${protocol}/test/${trial.id}`;
    assert.equal((await ask(result)).state, "waiting");
    const { visitor, landed } = await visit(trial.url);
    assert.equal(landed.status, 200, landed.text);
    assert.match(landed.text, /The test is finished/);
    assert.equal(await visitor.who(), undefined);
    const told = await ask(result);
    assert.deepEqual([told.state, told.email, told.name], ["admitted", person.email, person.name], told.claims);
    assert.deepEqual(told.groups.joined, [`${name} ops`], told.claims);
    assert.ok(told.groups.unmapped.includes("else"), told.claims);
    assert.deepEqual(await people(), []);
  });

  test(`${name}: a sign-in begins at one node and is finished at another`, async () => {
    await use(grouped);
    const { visitor, landed } = await signIn(`${login}?redirect=/projects/default`);
    assert.equal(landed.url, `${base}/projects/default`);
    const user = await visitor.who();
    assert.deepEqual([user.email, user.name], [person.email, person.name]);
    const entry = await entryOf("", ({ userId }) => userId === user.id);
    assert.deepEqual([entry.outcome, entry.method, entry.subject], ["signed-in", protocol, person.email]);
    assert.equal(entry.address, visitor.address);
    const again = await signIn();
    assert.equal((await again.visitor.who()).id, user.id);
    const { identities } = await ask(`/api/admin/user-admin/${user.id}/identities`);
    assert.deepEqual(identities.map(({ provider: of }) => of), [protocol]);
  });

  test(`${name}: what came back counts once`, async () => {
    const { visitor } = await signIn();
    const back = visitor.trail.findLast((url) => url.startsWith(`${base}/auth/${protocol}/callback`));
    const answer = await visitor.go(back);
    await refused({ landed: answer }, 400);
    assert.ok(await visitor.who(), "the session that there is stays");
  });

  test(`${name}: groups are joined and left as the provider says`, async () => {
    const { groups } = await ask("/api/admin/groups");
    const { id } = groups.find((group) => group.name === `${name} ops`);
    const members = async () => (await ask(`/api/admin/groups/${id}`)).users.map(({ user }) => user.email);
    await signIn();
    assert.deepEqual(await members(), [person.email]);
    await provider.tell(["else"]);
    await signIn();
    assert.deepEqual(await members(), []);
    await use();
  });

  test(`${name}: signing out here signs out there, too`, async () => {
    const { visitor } = await signIn();
    const isAsked = async () => {
      visitor.answered.clear();
      await visitor.go(login, answers);
      return visitor.answered.size > 0;
    };
    if (!provider.forgetful) assert.equal(await isAsked(), false, "the provider knows who it is");
    const left = await visitor.go("/logout", provider.signOut, { method: "POST" });
    assert.equal(left.url.split("?")[0], `${base}/`, left.text);
    assert.ok(visitor.trail.some((url) => url.startsWith(provider.url)), "it was at the provider");
    assert.equal(await visitor.who(), undefined);
    assert.equal(await isAsked(), true, "the provider asks who it is");
  });

  if (provider.signOutThere) {
    test(`${name}: signing out there ends the session here, and no other`, async () => {
      const other = await signIn();
      const { visitor } = await signIn();
      await visitor.go(provider.signOutThere, provider.signOut);
      // The other node hears of it a moment later.
      await until("the session ended", async () => !(await visitor.who()) && !(await visitor.who()));
      assert.ok(await other.visitor.who(), "the other browser is signed in still");
      await entryOf("", ({ outcome, method }) => outcome === "signed-out" && method === protocol);
    });
  }

  test(`${name}: sign-ins go on while the key changes`, async () => {
    const before = provider.settings();
    await provider.rotate();
    await use();
    const { visitor } = await signIn();
    assert.equal((await visitor.who()).email, person.email);
    if (protocol === "saml") {
      await use({ certificate: before.certificate });
      const entry = await refused(await visit(), 401);
      assert.match(entry.reason, /signature/);
      await use();
    }
  });

  if (provider.secondFactor) {
    const { settings, enrol, forget } = provider.secondFactor;
    test(`${name}: a second factor is asked for by the provider, and nobody comes in without it`, async () => {
      await use(settings);
      if (settings) {
        const entry = await refused(await visit(), 401);
        assert.deepEqual([entry.reason, entry.expected], ["wrong-acr", settings.acrValues]);
      }
      const code = await enrol();
      const tries = ["guess"];
      const guesser = await visit(login, { code: () => tries.shift() });
      assert.deepEqual(tries, [], "it was asked for the code");
      assert.ok(guesser.landed.url.startsWith(provider.url), guesser.landed.url);
      assert.equal(await guesser.visitor.who(), undefined);
      const { visitor } = await signIn(login, { code });
      assert.ok(visitor.answered.has("code"));
      assert.equal((await visitor.who()).email, person.email);
      await forget();
      await use({ acrValues: "" });
    });
  }

  return { signIn };
}
