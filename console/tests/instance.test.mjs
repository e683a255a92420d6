// What an administrator sees of the servers themselves: their log, and whether the history is what was written.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { ownServer } from "./own-server.mjs";

// Its history is forged.
const { directory } = await ownServer();
const { admin, ask, eventually, visitor } = await import("./chromium.mjs");
const level = () => ask("/api/admin/log-level");
const integrity = () => ask("/api/admin/event-log/integrity");

test("the level of the log is changed for a while, and put back", async () => {
  const before = await level();
  const { page, open } = await visitor({ as: admin });
  await open("/settings/instance");
  const card = page.getByRole("region", { name: "Log" });
  await card.getByText("as its servers were started").waitFor();
  await card.getByText(before.initialLevel, { exact: true }).waitFor();
  const change = card.getByRole("button", { name: "Change it" });
  assert.equal(await change.getAttribute("aria-disabled"), "true", "it needs a level");

  await card.getByLabel("Another level").fill("loud");
  await change.click();
  await card.getByRole("alert").getByText(/Level/).first().waitFor();
  assert.deepEqual(await level(), before, "what is no level changes nothing");

  await card.getByLabel("Another level").fill("info,flagstone::access=info");
  await page.keyboard.press("Escape");
  await card.getByRole("combobox", { name: "For" }).click();
  await page.getByRole("option", { name: "15 minutes" }).click();
  await change.click();
  await card.getByText("info,flagstone::access=info", { exact: true }).waitFor();
  await card.getByText(", until").waitFor();
  const set = await level();
  assert.equal(set.level, "info,flagstone::access=info");
  const minutes = (Date.parse(set.expiresAt) - Date.now()) / 60_000;
  assert.ok(minutes > 0 && minutes <= 15.1, `${minutes} minutes`);

  await card.getByRole("button", { name: "Put it back" }).click();
  await card.getByText("as its servers were started").waitFor();
  assert.deepEqual(await level(), before);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test("the history is checked, and the first place that does not hold is named", async () => {
  await ask("/api/admin/projects/default/features", { method: "POST", body: { name: "forged-later" } });
  await eventually(integrity, ({ hashedUpTo, newest }) => hashedUpTo === newest);
  const { hashedUpTo } = await integrity();
  const { page, open } = await visitor({ as: admin });
  await open("/settings/instance");
  const card = page.getByRole("region", { name: "Integrity of the event log" });
  await card.getByText("Not checked since this page was opened").waitFor();
  await card.getByRole("button", { name: "Check the event log" }).click();
  await card.getByText(/It holds: \d+ events are those that were written/).waitFor();

  const forge = `
import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=30) as database:
    changed = database.execute("UPDATE event SET created_by = 'somebody else' WHERE id = ?", (int(sys.argv[2]),))
    assert changed.rowcount == 1, changed.rowcount`;
  execFileSync("python3", ["-c", forge, join(directory, "flagstone.db"), String(hashedUpTo)]);
  assert.equal((await integrity()).fault.eventId, hashedUpTo);
  await card.getByRole("button", { name: "Check the event log" }).click();
  await card.getByText("It does not hold").waitFor();
  await card.getByText(`from event ${hashedUpTo} on`).waitFor();
});
