// The API of the server that the tests are for.
import assert from "node:assert/strict";

export const server = process.env.FLAGSTONE_URL;

const asAdmin = { authorization: process.env.FLAGSTONE_ADMIN_TOKEN };

/** What the API itself says, to an admin token or to whom these headers name. */
export async function ask(path, { method = "GET", body, headers = asAdmin } = {}) {
  const sent = { ...headers, "content-type": "application/json" };
  const answer = await fetch(server + path, { method, headers: sent, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** Signs somebody in, and gives the headers by which the server knows them. */
export async function sessionOf({ username, password }) {
  const answer = await fetch(`${server}/auth/simple/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  assert.equal(answer.status, 200, await answer.text());
  return { cookie: answer.headers.getSetCookie()[0].split(";")[0] };
}
