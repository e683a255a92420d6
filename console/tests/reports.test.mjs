// What applications report, and what the instance reports of itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshName, userNamed } from "./administration.mjs";
import { admin, ask, assertAccessible, assertAtPeace, eventually, server, visitor } from "./chromium.mjs";

const tell = (path, body) =>
  fetch(`${server}/api/client/${path}`, {
    method: "POST",
    headers: { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("names that are no flag, and SDKs that are outdated, are listed with the applications that use them", async () => {
  const name = freshName();
  const appName = `app-${name}`;
  const started = new Date(Date.now() - 60_000).toISOString();
  const more = { instanceId: "one", started, interval: 10, strategies: ["default"] };
  await tell("register", { appName, sdkVersion: "unleash-client-node:3.0.0", ...more });
  const bucket = { start: started, stop: new Date().toISOString(), toggles: { [`gone-${name}`]: { yes: 1, no: 0 } } };
  await tell("metrics", { appName, instanceId: "one", bucket });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await eventually(
    () => ask("/api/admin/metrics/unknown-flags"),
    ({ unknownFlags }) => unknownFlags.some((flag) => flag.name === `gone-${name}`),
  );
  await open("/applications");
  const beside = page.getByRole("navigation", { name: "Pages beside this one" });
  await beside.getByRole("link", { name: "Unknown flags" }).click();
  const row = page.getByRole("row").filter({ hasText: `gone-${name}` });
  await row.getByRole("link", { name: appName }).waitFor();
  await row.getByText("never existed").waitFor();
  await assertAccessible(page, "unknown flags");
  await beside.getByRole("link", { name: "Outdated SDKs" }).click();
  await page.getByRole("searchbox").fill(appName);
  const outdated = page.getByRole("row").filter({ hasText: "unleash-client-node" });
  await outdated.getByText("3.0.0", { exact: true }).waitFor();
  await outdated.getByRole("link", { name: appName }).click();
  await page.getByRole("heading", { name: appName, level: 1 }).waitFor();
  await assertAtPeace(seen);
});

test("the title about people says what the last day of its picture shows, also of somebody new", async () => {
  await userNamed(freshName());
  const { users } = await ask("/api/admin/insights");
  const { page, open } = await visitor({ as: admin });
  await open("/insights");
  const figure = page.getByRole("figure").filter({ hasText: "People on each day" });
  await figure.getByText("As a table").click();
  const last = await figure.getByRole("row").last().innerText();
  assert.deepEqual(last.split(/\s+/).slice(1).map(Number), [users.active, users.inactive]);
});
