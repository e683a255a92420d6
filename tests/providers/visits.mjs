// People who sign in through a provider as it is registered with the server, and what the log tells of them.
import assert from "node:assert/strict";
import { ask, until } from "./place.mjs";
import { Visitor } from "./visitor.mjs";

// The newest entry of the log like this. A node writes what it notes a moment later.
export async function entryOf(query, isMeant) {
  let entry;
  await until("the log tells of it", async () => {
    entry = (await ask(`/api/admin/auth/sign-ins${query}`)).signIns.find(isMeant);
    return entry;
  });
  return entry;
}

export function visits({ name, answers }, at) {
  // Somebody in a browser of their own, who goes to the login and back.
  async function visit(path = at.login, more = {}, visitor = new Visitor()) {
    const landed = await visitor.go(path, { ...answers, ...more });
    return { visitor, landed };
  }

  async function signIn(...where) {
    const { visitor, landed } = await visit(...where);
    assert.ok(!landed.text, `${name} leads to ${landed.status} ${landed.url}: ${landed.text}`);
    return { visitor, landed };
  }

  // That somebody is shown no more than an id, by which the log tells the reason; `by` is the one whose address it is.
  async function refused({ landed }, status, by = at) {
    assert.equal(landed.status, status, landed.text);
    assert.match(landed.headers.get("content-type"), /^text\/html/);
    assert.ok(landed.url.startsWith(by.callback), landed.url);
    const [, id] = landed.text.match(/<code>([0-9a-f-]{36})<\/code>/);
    const entry = await entryOf(`?errorId=${id}`, () => true);
    assert.equal(entry.outcome, "refused");
    assert.deepEqual([entry.method, entry.providerId], [by.protocol, by.id]);
    assert.match(entry.explanation, /\.$/);
    for (const told of [entry.reason, entry.explanation, entry.found, entry.expected, entry.subject]) {
      assert.ok(!told || !landed.text.includes(told), `the page tells ${told}`);
    }
    const { events } = await ask("/api/admin/logins");
    const shown = events.find((event) => event.id === entry.id);
    assert.deepEqual([shown.successful, shown.failure_reason], [false, entry.reason]);
    return entry;
  }

  return { visit, signIn, refused };
}
