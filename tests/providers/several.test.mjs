// Several further providers at once on one server, two of them the same provider under two ids: each with its button, its
// addresses, its people and its sessions.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { authlib } from "./authlib.mjs";
import { oidcProvider } from "./oidc-provider.mjs";
import { ask, base, certificate, forget, people, until } from "./place.mjs";
import { pysaml2 } from "./pysaml2.mjs";
import { asFurther } from "./registration.mjs";
import { samlProvider } from "./samlp.mjs";
import { simplesamlphp } from "./simplesamlphp.mjs";
import { password } from "./server.mjs";
import { Misled, Visitor } from "./visitor.mjs";
import { entryOf, visits } from "./visits.mjs";

const trusted = { rules: { linkByEmail: true } };
const staff = asFurther("oidc", "staff", trusted);
const contractors = asFurther("oidc", "contractors", trusted);
const guests = asFurther("oidc", "guests");
const partners = asFurther("saml", "partners");
const suppliers = asFurther("saml", "suppliers");
const lab = asFurther("saml", "lab");
const school = asFurther("saml", "school");
const all = [staff, contractors, guests, partners, suppliers, lab, school];

// Takes the logout tokens that are meant for one provider to where they do not belong first, then to it, then there again.
const told = [];
const messenger = createServer(async (asked, answer) => {
  const parts = await asked.toArray();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const { backChannelLogout: to } of [contractors, guests, staff, staff]) {
    const taken = await fetch(to, { method: "POST", headers, body: Buffer.concat(parts) });
    told.push([taken.status, (await taken.text()).match(/by this: ([a-z-]+)/)?.[1]]);
  }
  answer.writeHead(200).end();
});
await new Promise((resolve) => messenger.listen(0, "127.0.0.1", resolve));
const mailbox = `http://127.0.0.1:${messenger.address().port}/`;

const company = await oidcProvider({ ...staff, backChannelLogout: mailbox }, contractors);
const saml = await samlProvider(partners);
const by = new Map([
  [staff, company],
  [contractors, { ...company, settings: () => company.settings(contractors) }],
  [guests, await authlib(guests)],
  [partners, saml],
  [suppliers, saml],
  [lab, await pysaml2(lab)],
  [school, await simplesamlphp(school)],
]);
const running = [...new Set([company, saml, by.get(guests), by.get(lab), by.get(school)])];
const save = (at, change) => at.save(at.content(by.get(at), change));
const through = (at) => visits(by.get(at), at);

before(async () => {
  for (const at of all) await save(at);
  for (const provider of running) await provider.start();
});
after(async () => {
  for (const at of all) await at.remove();
  for (const provider of running) await provider.stop();
  for (const { person } of running) await forget(person);
  messenger.close();
});

test("each has a button, in the order that was set, and addresses of its own", async () => {
  const ids = all.map(({ id }) => id).reverse();
  await ask("/api/admin/auth/providers/sort-order", { method: "PUT", body: { ids } });
  const { options } = (await new Visitor().ask("/auth/options")).body;
  const expected = [...all].reverse().map(({ id, protocol, login, button }) => {
    return { type: protocol, message: button.label, path: login, id, icon: button.icon };
  });
  assert.deepEqual(options, expected);
  for (const { id, protocol, login, callback, metadata, entityId, singleLogout, backChannelLogout } of all) {
    const { addresses, settings } = await ask(`/api/admin/auth/providers/${id}`);
    const ofSaml = { metadataUrl: metadata, singleLogoutUrl: singleLogout, entityId };
    const ofProtocol = protocol === "saml" ? ofSaml : { backChannelLogoutUrl: backChannelLogout };
    assert.deepEqual(addresses, { loginUrl: base + login, redirectUrl: callback, ...ofProtocol });
    assert.equal(settings.secret ?? settings.spCertificate, "********");
  }
});

test("people sign in through all of them at the same time", async () => {
  const ways = [staff, guests, partners, lab, school];
  const users = await Promise.all(
    ways.map(async (at) => {
      const { visitor } = await through(at).signIn();
      const user = await visitor.who();
      assert.equal(user.email, by.get(at).person.email);
      return user;
    }),
  );
  for (const [index, { id }] of users.entries()) {
    const entry = await entryOf("", ({ userId }) => userId === id);
    assert.deepEqual([entry.outcome, entry.providerId], ["signed-in", ways[index].id]);
  }
});

test("somebody whom two of them vouch for is one user with two identities", async () => {
  const { visitor } = await through(contractors).signIn();
  const { id } = await visitor.who();
  assert.deepEqual((await people(company.person)).map((user) => user.id), [id]);
  const { identities } = await ask(`/api/admin/user-admin/${id}/identities`);
  const ofProviders = identities.map(({ providerId, subject }) => [providerId, subject]).sort();
  assert.deepEqual(ofProviders, [["contractors", "ada"], ["staff", "ada"]]);
});

test("an email links nobody to a user where the provider is not trusted for it", async () => {
  const { person } = by.get(guests);
  for (const { id } of await people(person)) await ask(`/api/admin/user-admin/${id}/identities`, { method: "DELETE" });
  const entry = await through(guests).refused(await through(guests).visit(), 403);
  assert.deepEqual([entry.reason, entry.subject], ["linking-off", person.email]);
  await forget(person);
  await through(guests).signIn();
});

test("what one provider answers is refused at the address of another", async () => {
  for (const [at, other, status, reason] of [
    [staff, contractors, 400, "unknown-state"],
    [staff, guests, 400, "unknown-state"],
    [partners, suppliers, 401, "wrong-destination"],
    [lab, partners, 401, "wrong-issuer"],
    [school, lab, 401, "wrong-issuer"],
  ]) {
    const visitor = new Misled(at.callback, other.callback);
    const visit = await through(at).visit(undefined, {}, visitor);
    const entry = await through(at).refused(visit, status, other);
    assert.equal(entry.reason, reason, `${at.id} at ${other.id}`);
    assert.equal(await visitor.who(), undefined);
    // Where it belongs, the next one counts.
    const { visitor: next } = await through(at).signIn();
    assert.equal((await next.who()).email, by.get(at).person.email);
  }
});

test("a logout token ends sessions at its own address, once, and those of no other provider", async () => {
  const { visitor: other } = await through(contractors).signIn();
  const { visitor } = await through(staff).signIn();
  told.length = 0;
  await visitor.go(company.signOutThere, company.signOut);
  await until("the session ended", async () => !(await visitor.who()) && !(await visitor.who()));
  await until("all answers are there", () => told.length === 4);
  assert.deepEqual(told, [
    [400, "wrong-audience"],
    [400, "unknown-key"],
    [200, undefined],
    [400, "used-logout"],
  ]);
  assert.equal((await other.who()).email, company.person.email);
  const entry = await entryOf("", ({ outcome, providerId }) => outcome === "signed-out" && providerId === "staff");
  assert.equal(entry.method, "oidc");
});

test("a request of SAML to sign out is refused at the address of another provider", async () => {
  const visitor = new Misled(partners.singleLogout, suppliers.singleLogout);
  await through(partners).signIn(undefined, {}, visitor);
  const left = await visitor.go(saml.signOutThere);
  assert.equal(left.status, 400, left.text);
  const isOfIt = ({ providerId }) => providerId === suppliers.id;
  const entry = await entryOf("", (one) => one.outcome === "sign-out-refused" && isOfIt(one));
  assert.equal(entry.reason, "wrong-destination");
  assert.equal((await visitor.who()).email, saml.person.email);
});

for (const at of [staff, partners, lab]) {
  test(`only members of a required group come in through ${at.id}, with the role that a claim gives`, async () => {
    const provider = by.get(at);
    await provider.tell(["else"]);
    const rules = { requiredGroups: ["crew"], rootRoles: [{ claim: "groups", value: "editors", roleId: 2 }] };
    await save(at, { groupJsonPath: "groups", rules });
    const entry = await through(at).refused(await through(at).visit(), 403);
    assert.equal(entry.reason, "required-group-missing");
    await provider.tell(["editors", "crew"]);
    const { visitor } = await through(at).signIn();
    const known = await visitor.who();
    const roleOf = async ({ id }) => (await ask(`/api/admin/user-admin/${id}`)).rootRole;
    assert.equal(await roleOf(known), 3, "who was there before keeps the role");
    await forget(provider.person);
    const { visitor: newcomer } = await through(at).signIn();
    assert.equal(await roleOf(await newcomer.who()), 2);
    await save(at);
  });
}

test("a user with a password links an identity of either protocol, and comes in by it", async () => {
  const body = { email: "grace@example.com", name: "Grace", rootRole: 3, password, sendEmail: false };
  const grace = await ask("/api/admin/user-admin", { method: "POST", body });
  for (const at of [guests, school]) {
    await forget(by.get(at).person);
    const visitor = new Visitor();
    const credentials = { username: body.email, password };
    assert.equal((await visitor.ask("/auth/simple/login", { method: "POST", body: credentials })).status, 200);
    const asked = { providerId: at.id, password };
    const begun = await visitor.ask("/api/admin/user/identities", { method: "POST", body: asked });
    assert.equal(begun.status, 200, begun.text);
    const landed = await visitor.go(begun.body.url, by.get(at).answers);
    assert.equal(landed.url, `${base}/`, landed.text);
    assert.equal((await visitor.who()).id, grace.id);
    const { visitor: stranger } = await through(at).signIn();
    assert.equal((await stranger.who()).id, grace.id, "the identity is known by its subject, not by its email");
  }
  const { identities } = await ask(`/api/admin/user-admin/${grace.id}/identities`);
  assert.deepEqual(identities.map(({ providerId }) => providerId).sort(), ["guests", "school"]);
  await forget(grace);
});

test("a provider follows its metadata, and the others stay as they are", async () => {
  await save(school, { certificate: certificate("other") });
  const entry = await through(school).refused(await through(school).visit(), 401);
  assert.match(entry.reason, /signature/);
  const path = `/api/admin/auth/providers/${school.id}/metadata-refresh`;
  const url = by.get(school).settings().entityId;
  const set = await ask(path, { method: "PUT", body: { enabled: true, url } });
  assert.deepEqual([set.enabled, set.url, set.problem], [true, url, null]);
  await until("it was read", async () => (await ask(path)).succeededAt);
  const { visitor } = await through(school).signIn();
  assert.equal((await visitor.who()).email, by.get(school).person.email);
  const { problem } = await ask(path);
  assert.equal(problem, null);
  await through(lab).signIn();
});

test("one that is disabled ends its sessions and has no button, and the others go on", async () => {
  const { visitor: gone } = await through(lab).signIn();
  const { visitor: stays } = await through(staff).signIn();
  await lab.save({ ...lab.content(by.get(lab)), enabled: false });
  assert.equal(await gone.who(), undefined);
  assert.equal((await stays.who()).email, company.person.email);
  const { options } = (await new Visitor().ask("/auth/options")).body;
  assert.deepEqual(options.map(({ id }) => id).sort(), all.map(({ id }) => id).filter((id) => id !== "lab").sort());
  assert.equal((await new Visitor().go(lab.login)).status, 404);
});
