// What every provider is put through, twice: in the settings of its protocol, and as a further provider. One file for each
// calls this with what makes the provider that it describes for a registration of the server.
//
// A provider has a `name` and a `protocol`; `settings()` by which the server trusts it now and, with `rotate()`, after the
// change of its key; a `person` {email, name} who answers its pages with `answers`; `tell(groups)`, which changes what it
// says of the person's groups. `signOut` are the answers to its pages about signing out, `signOutThere` the address where
// one signs out with the provider first, and `forgetful` is true for one that keeps no session of its own. `secondFactor` has
// `enrol()`, after which the provider asks for a code, and which gives the function that tells it; `forget()`; and the
// `settings` by which the server insists on a second factor, if the protocol has any. As a further provider it has
// `unlikeSettings` besides. `special` adds tests of what only this provider does.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ask, base, forget, people, until } from "./place.mjs";
import { asFurther, inSettings } from "./registration.mjs";
import { entryOf, visits } from "./visits.mjs";

export async function proves(protocol, make) {
  // A name of its own for each file: what one that fails leaves behind is in nobody's way.
  const registrations = [inSettings(protocol), asFurther(protocol, `${protocol}-${process.pid}`)];
  const providers = [];
  for (const registration of registrations) providers.push(await make(registration));
  providers.forEach((provider, index) => {
    const at = registrations[index];
    describe(`${provider.name} ${at.title}`, () => prove(provider, at));
  });
}

function prove(provider, at) {
  const { name, protocol, person, answers } = provider;
  const { login } = at;
  const grouped = { enableGroupSyncing: true, groupJsonPath: provider.groups ?? "groups" };
  // Groups of the provider, and their namesakes here.
  const ops = `${at.clientId}-${name}-ops`;
  const use = (change) => at.save(at.content(provider, change));

  before(async () => {
    await at.prepare(provider);
    // What the server says of itself holds its key.
    await use();
    await provider.start();
  });
  after(async () => {
    await at.remove();
    await provider.stop();
    await forget(person);
  });

  const { visit, signIn, refused } = visits(provider, at);

  test("somebody whom the settings do not invite is shown an id, and the log tells the reason", async () => {
    await use({ emailDomains: "elsewhere.example" });
    const entry = await refused(await visit(), 403);
    assert.deepEqual([entry.reason, entry.subject], ["domain-not-allowed", person.email]);
    assert.deepEqual(await people(person), []);
    await use();
  });

  test("the settings are tried before anybody signs in by them", async () => {
    await ask("/api/admin/groups", { method: "POST", body: { name: `${ops} here`, mappingsSSO: [ops] } });
    await provider.tell([ops, "else"]);
    await at.remove();
    const trial = await ask(at.trials, { method: "POST", body: at.content(provider, grouped) });
    assert.deepEqual(trial.checks.filter(({ ok }) => !ok), []);
    const result = `${at.trials}/${trial.id}`;
    assert.equal((await ask(result)).state, "waiting");
    const { visitor, landed } = await visit(trial.url);
    assert.equal(landed.status, 200, landed.text);
    assert.match(landed.text, /The test is finished/);
    assert.equal(await visitor.who(), undefined);
    const told = await ask(result);
    assert.deepEqual([told.state, told.email, told.name], ["admitted", person.email, person.name], told.claims);
    assert.deepEqual(told.groups.joined, [`${ops} here`], told.claims);
    assert.ok(told.groups.unmapped.includes("else"), told.claims);
    assert.deepEqual(await people(person), []);
    const { options } = await ask("/auth/options");
    assert.ok(options.every(({ path }) => path !== login), "nothing is stored");
  });

  test("a sign-in begins at one node and is finished at another", async () => {
    await use(grouped);
    const { visitor, landed } = await signIn(`${login}?redirect=/projects/default`);
    assert.equal(landed.url, `${base}/projects/default`);
    const user = await visitor.who();
    assert.deepEqual([user.email, user.name], [person.email, person.name]);
    const entry = await entryOf("", ({ userId }) => userId === user.id);
    assert.deepEqual([entry.outcome, entry.method, entry.subject], ["signed-in", protocol, person.email]);
    assert.equal(entry.providerId, at.id);
    assert.equal(entry.address, visitor.address);
    const again = await signIn();
    assert.equal((await again.visitor.who()).id, user.id);
    const { identities } = await ask(`/api/admin/user-admin/${user.id}/identities`);
    assert.deepEqual(identities.map(({ provider: of, providerId }) => [of, providerId]), [[protocol, at.id]]);
  });

  test("what came back counts once", async () => {
    const { visitor } = await signIn();
    const back = visitor.trail.findLast((url) => url.startsWith(at.callback));
    const answer = await visitor.go(back);
    await refused({ landed: answer }, 400);
    assert.ok(await visitor.who(), "the session that there is stays");
  });

  test("groups are joined and left as the provider says", async () => {
    const { groups } = await ask("/api/admin/groups");
    const { id } = groups.find((group) => group.name === `${ops} here`);
    const members = async () => (await ask(`/api/admin/groups/${id}`)).users.map(({ user }) => user.email);
    await signIn();
    assert.deepEqual(await members(), [person.email]);
    await provider.tell(["else"]);
    await signIn();
    assert.deepEqual(await members(), []);
    await use();
  });

  test("signing out here signs out there, too", async () => {
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
    test("signing out there ends the session here, and no other", async () => {
      const other = await signIn();
      const { visitor } = await signIn();
      await visitor.go(provider.signOutThere, provider.signOut);
      // The other node hears of it a moment later.
      await until("the session ended", async () => !(await visitor.who()) && !(await visitor.who()));
      assert.ok(await other.visitor.who(), "the other browser is signed in still");
      const isOfIt = ({ method, providerId }) => method === protocol && providerId === at.id;
      await entryOf("", (entry) => entry.outcome === "signed-out" && isOfIt(entry));
    });
  }

  test("sign-ins go on while the key changes", async () => {
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
    test("a second factor is asked for by the provider, and nobody comes in without it", async () => {
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

  provider.special?.({ signIn });
}
