// What people do around features: in the playground, with files, and with programs of their own.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { admin, ask, assertAtPeace, server, signIn, visitor } from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

let name;

beforeEach(async () => {
  name = await freshFeature();
});

test("a day of the strip narrows the history to it", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}/history`);
  const days = page.getByRole("group", { name: "Days, in UTC" }).getByRole("button");
  assert.equal(await days.count(), 14);
  const { total } = await ask(`/api/admin/search/events?project=IS:${id}&limit=1`);
  await page.getByText(new RegExp(`${total} events in 14 days`)).waitFor();
  await days.first().click();
  await page.getByText("Nothing happened that fits.").waitFor();
  assert.match(page.url(), /createdAtFrom=IS%3A\d{4}-\d\d-\d\d&createdAtTo=/);
  await days.first().click();
  await page.getByText("created the flag").first().waitFor();
  await assertAtPeace(seen);
});

test("the playground tells what a flag comes to and why, and its link asks again", async () => {
  const path = `${project}/features/${name}/environments/development`;
  const constraints = [{ contextName: "userId", operator: "IN", values: ["42"] }];
  await ask(`${path}/strategies`, { method: "POST", body: { name: "default", constraints } });
  await ask(`${path}/on`, { method: "POST" });
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/playground?project=${id}&environment=development`);
  await page.getByRole("textbox", { name: "userId" }).fill("42, 7");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByRole("row", { name: new RegExp(`${name} .*✓ on ✗ off`) }).waitFor();
  await page.getByRole("switch", { name: /^Only flags/ }).press("Space");
  await page.getByRole("button", { name: `Why ${name}`, exact: true }).click();
  const why = page.getByRole("dialog");
  await why.getByText("userId is 42").first().waitFor();
  await why.getByRole("region", { name: "development userId 7" }).getByText("✗").first().waitFor();
  const other = await visitor({ as: admin });
  await other.page.goto(page.url());
  await other.page
    .getByRole("dialog")
    .getByRole("region", { name: "development userId 42" })
    .getByText("✓ on")
    .waitFor();
  await assertAtPeace(seen);
});

test("known applications are offered as values of appName, in the playground and in a constraint", async () => {
  const appName = `trams-of-${name}`;
  await ask(`/api/admin/metrics/applications/${appName}`, { method: "POST", body: { description: "Trams" } });
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open("/playground?appName=buses");
  const asking = page.getByRole("combobox", { name: "appName" });
  await asking.fill(`buses,trams-of-${name}`.slice(0, -2));
  await page.getByRole("option", { name: `buses,${appName}` }).click();
  assert.equal(await asking.inputValue(), `buses,${appName}`);
  await page.getByRole("button", { name: "Ask" }).press("Enter");
  await page.waitForURL(/appName=buses(,|%2C)trams-of-/);

  await seen.open("/build/segments?new=true");
  await page.getByRole("button", { name: "Add constraint" }).click();
  await page.getByRole("combobox", { name: "Field" }).click();
  await page.getByRole("option", { name: "appName" }).click();
  await page.getByRole("combobox", { name: "Values" }).fill(appName.slice(0, -2));
  await page.getByRole("option", { name: appName }).click();
  await page.getByText(appName).first().waitFor();
  await assertAtPeace(seen);
});

test("exports to a file, refuses what is none, previews it, and imports it", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await ask(`${project}/features/${name}/environments/development/on`, { method: "POST" });
  await seen.open(`/export?project=${id}&environment=development`);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the file" }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  assert.ok(JSON.parse(text).features.some((one) => one.name === name));

  const into = `${name}-into`;
  await ask("/api/admin/projects", { method: "POST", body: { id: into, name: into } });
  await seen.open(`/import?project=${into}&environment=production`);
  const choose = async (buffer) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: /^Choose/ }).click();
    await (
      await chooser
    ).setFiles({ name: "features.json", mimeType: "application/json", buffer: Buffer.from(buffer) });
  };
  await choose('{"features":');
  await page.getByText("This is no JSON").waitFor();
  // The features are in another project: an error, and nothing can be imported.
  await choose(text);
  await page.getByText("Errors: nothing can be imported").waitFor();
  assert.equal(await page.getByRole("button", { name: /^Import / }).count(), 0);
  const renamed = `${name}-copy`;
  const one = JSON.parse(text.replaceAll(`"${name}"`, `"${renamed}"`));
  const only = (list, key) => (list ?? []).filter((item) => item[key] === renamed);
  const data = {
    ...one,
    features: only(one.features, "name"),
    featureStrategies: only(one.featureStrategies, "featureName"),
    featureEnvironments: only(one.featureEnvironments, "featureName"),
    featureTags: [],
    dependencies: [],
  };
  await choose(JSON.stringify(data));
  await page.getByText("of 1 flag in").waitFor();
  const features = () => ask(`/api/admin/projects/${into}/features`);
  assert.equal((await features()).features.length, 0);
  await page.getByRole("button", { name: "Import into ▲ production" }).click();
  await page
    .getByRole("status")
    .getByText("Imported")
    .or(page.getByText("Imported", { exact: true }))
    .first()
    .waitFor();
  assert.deepEqual(
    (await features()).features.map((feature) => feature.name),
    [renamed],
  );
  await assertAtPeace(seen);
});

test("from a first flag to an application that asks", async () => {
  const newcomer = await person(`${name}-newcomer`, 1);
  const seen = await visitor();
  await signIn(seen.context, newcomer);
  const { page } = seen;
  await seen.open(`/setup?project=${id}&feature=${name}&language=python`);
  await page.getByText(`flags.is_enabled("${name}"`).waitFor();
  await page.getByLabel(/^Name of the token/).fill(`${name}-token`);
  await page.getByRole("button", { name: "Create a token" }).click();
  const secret = await page.getByRole("textbox", { name: /^The token/ }).innerText();
  await page.getByText(`export FLAGSTONE_TOKEN='${secret}'`).waitFor();
  await page.getByText("Waiting for an application").waitFor();
  assert.ok(!page.url().includes(secret));
  const answer = await fetch(`${server}/api/client/features`, { headers: { authorization: secret } });
  assert.equal(answer.status, 200);
  await page.getByText("✓ Your application asked").waitFor();

  await assertAtPeace(seen);
});

test("a picture has its numbers as a table and as a file, and its days in the address", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}`);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: /^Save as CSV: .*of the type/ }).click();
  const { featureTypeCounts } = await ask(`${project}/overview`);
  const expected = featureTypeCounts.map(({ type, count }) => `${type},${count}\r\n`).join("");
  assert.equal(await readFile(await (await saved).path(), "utf8"), `Type,flags\r\n${expected}`);

  const pictures = {};
  for (const kind of ["SVG", "PNG"]) {
    const picture = page.waitForEvent("download");
    await page.getByRole("button", { name: new RegExp(`^Save as ${kind}: .*of the type`) }).click();
    pictures[kind] = await readFile(await (await picture).path());
  }
  const drawn = pictures.SVG.toString();
  assert.match(drawn, /^<svg /);
  for (const { type } of featureTypeCounts) assert.ok(drawn.includes(`>${type}`), `${type} is not in the picture`);
  assert.doesNotMatch(drawn, /var\(|Save as|<button|style=/, "a file of its own needs nothing from the page");
  assert.deepEqual([...pictures.PNG.subarray(1, 4)], [...Buffer.from("PNG")]);
  assert.ok(pictures.PNG.readUInt32BE(16) > 500, "as wide as on the screen, and twice as fine");

  await seen.open("/insights");
  await page.getByRole("button", { name: "Last 30 days" }).click();
  await page.waitForFunction(() => /from=\d{4}-\d\d-\d\d/.test(location.search));
  await page.getByLabel("To this day, in UTC").fill("2020-01-01");
  await page.getByRole("alert").waitFor();
  await assertAtPeace(seen);
});
