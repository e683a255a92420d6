// Who is signed in, and where: seen and ended by oneself and by an administrator.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { api, freshName, userNamed } from "./administration.mjs";
import { admin, ask, assertAtPeace, eventually, forgetSession, reach, server, signIn, visitor } from "./chromium.mjs";

const password = "Tests-Person-1";

let name;

beforeEach(() => {
  name = freshName();
});

/** A browser of somebody, with a session of its own. */
async function browserOf(username) {
  forgetSession({ username });
  const seen = await visitor();
  await signIn(seen.context, { username, password });
  return seen;
}

const statusIn = async ({ context }) => (await context.request.get(`${server}/api/admin/user`)).status();

test("somebody sees where they are signed in, and ends one browser and then all others by the keyboard", async () => {
  await userNamed(name);
  const [first, second, third, here] = [
    await browserOf(name),
    await browserOf(name),
    await browserOf(name),
    await browserOf(name),
  ];
  const { page, open } = here;
  await open("/me/sessions");
  const list = page.getByRole("region", { name: "Sessions" });
  const rows = list.getByRole("row").filter({ hasText: /Chrome \d+ on Linux/ });
  await eventually(
    () => rows.count(),
    (count) => count === 4,
  );
  assert.equal(await rows.filter({ hasText: "this one" }).count(), 1);
  assert.equal(await rows.filter({ hasText: "127.0.0.1" }).count(), 4);
  assert.equal(await rows.filter({ hasText: "password" }).count(), 4);

  await reach(page, list.getByRole("button", { name: /^End …/ }).first());
  await page.keyboard.press("Enter");
  const asking = page.getByRole("dialog", { name: /^Sign out Chrome/ });
  await asking.getByText("Personal tokens stay").waitFor();
  await reach(page, asking.getByRole("button", { name: "Sign out" }));
  await page.keyboard.press("Enter");
  await eventually(
    () => rows.count(),
    (count) => count === 3,
  );
  // The newest of the others is the first in the list.
  assert.deepEqual(await Promise.all([first, second, third, here].map(statusIn)), [200, 200, 401, 200]);

  await reach(page, page.getByRole("button", { name: "End all others …" }));
  await page.keyboard.press("Enter");
  const all = page.getByRole("dialog", { name: "Sign out all other browsers" });
  await reach(page, all.getByRole("button", { name: "Sign out" }));
  await page.keyboard.press("Enter");
  await page.getByText("2 browsers are signed out.").waitFor();
  assert.deepEqual(await Promise.all([first, second, here].map(statusIn)), [401, 401, 200]);
  const button = page.getByRole("button", { name: "End all others …" });
  await eventually(
    () => button.getAttribute("aria-disabled"),
    (disabled) => disabled === "true",
  );
  await assertAtPeace(here);
});

test("an administrator sees who is signed in, and ends a session, and all of a user", async () => {
  const { id } = await userNamed(name, { name });
  const theirs = [await browserOf(name), await browserOf(name), await browserOf(name)];
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/people/sessions");
  const list = page.getByRole("region", { name: "Active sessions" });
  const rows = list.getByRole("row").filter({ hasText: name });
  await eventually(
    () => rows.count(),
    (count) => count === 3,
  );
  assert.ok((await list.getByRole("row").filter({ hasText: "this one" }).count()) <= 1);
  await rows
    .first()
    .getByRole("button", { name: /^End …/ })
    .click();
  await page
    .getByRole("dialog", { name: new RegExp(`^Sign out ${name}`) })
    .getByRole("button", { name: "Sign out" })
    .click();
  await eventually(
    () => Promise.all(theirs.map(statusIn)),
    (statuses) => statuses.join() === "200,200,401",
  );
  // What would sign everybody out is asked first, and not done.
  await page.getByRole("button", { name: "End all others …" }).click();
  const everybody = page.getByRole("dialog", { name: "Sign everybody out" });
  await everybody.getByText("Everybody is signed out with their next request").waitFor();
  await page.keyboard.press("Escape");

  await open(`/people/users?user=${id}`);
  const section = page.getByRole("region", { name: "Sessions" });
  await section.getByRole("button", { name: "End all …" }).click();
  await page
    .getByRole("dialog", { name: `Sign out ${name}` })
    .getByRole("button", { name: "Sign out" })
    .click();
  await section.getByText("They are not signed in.").waitFor();
  assert.deepEqual(await Promise.all(theirs.map(statusIn)), [401, 401, 401]);
  const { events } = await ask(`${api}/search/events?type=IS:user-updated&limit=2`);
  assert.deepEqual(
    events.map(({ data }) => [data.id, data.endedSessions]),
    [
      [id, 2],
      [id, 1],
    ],
  );
  await assertAtPeace(seen);
});
