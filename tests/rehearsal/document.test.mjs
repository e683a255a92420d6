// docs/moving-in.md does what it says, from the first try to the way back out.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { read } from "../quickstarts/markdown.mjs";
import { follow, newReader } from "../quickstarts/reader.mjs";
import { OLD_DATABASE, OLD_URL, oldServer, REPOSITORY, secrets } from "./stage.mjs";

const { OLD_READER } = process.env;
const sections = ["Rehearsal", "The move", "By the API", "The way back out"];

before(oldServer);

test("docs/moving-in.md is followed at night", async () => {
  const text = await readFile(join(REPOSITORY, "docs/moving-in.md"), "utf8");
  // Commands of a numbered list stand indented.
  const document = read(text.replace(/^ {3}```[^]*?^ {3}```$/gm, (fence) => fence.replace(/^ {3}/gm, "")));
  const told = [...document.keys()].filter((title) => document.get(title).length);
  assert.deepEqual(told, sections);
  const reader = await newReader(
    {},
    {
      "postgres://unleash@db.internal/unleash": OLD_DATABASE,
      "postgres://unleash_reader@db.internal/unleash": OLD_READER,
      "https://unleash.internal": OLD_URL,
      "*:*.…": secrets.tokens.admin[0],
    },
  );
  await follow(
    reader,
    sections.flatMap((title) => document.get(title)),
  );
  const report = JSON.parse(await readFile(join(reader.directory, "report.json"), "utf8"));
  assert.equal(report.dryRun, false);
  const page = await readFile(join(reader.directory, "by-api.html"), "utf8");
  assert.match(page, /<td>events<\/td><td class="n">\d{3,}<\/td>/);
});
