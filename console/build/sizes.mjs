// What the console weighs, compressed, and the budgets that it must keep: `node build/sizes.mjs DIRECTORY`.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const kilobyte = 1000;
const budgets = { "first load": 320, "any page": 20, everything: 600 };

const dist = process.argv[2] ?? "dist";
const sizes = new Map();
for (const file of await readdir(join(dist, "assets"))) {
  sizes.set(file, gzipSync(await readFile(join(dist, "assets", file)), { level: 9 }).length);
}

// What a script needs before it runs, and before that what those need.
async function imports(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  if (!file.endsWith(".js")) return found;
  const text = await readFile(join(dist, "assets", file), "utf8");
  for (const [, needed] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    await imports(needed, found);
  return found;
}

const page = await readFile(join(dist, "index.html"), "utf8");
const first = new Set();
for (const [, file] of page.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g))
  for (const one of await imports(file)) first.add(one);
const total = (files) => [...files].reduce((sum, file) => sum + sizes.get(file), 0);
// The page that somebody sees first comes along, with its style sheet: home, or the list that most links lead to.
const begun = [];
for (const page of ["HomePage", "FeaturesPage"]) {
  const loaded = new Set(first);
  for (const file of sizes.keys())
    if (file.startsWith(`${page}-`)) for (const one of await imports(file)) loaded.add(one);
  begun.push(total(loaded));
}

const pages = [...sizes.keys()].filter((file) => /Page-.*\.js$/.test(file));
const found = {
  "first load": Math.max(...begun),
  "any page": Math.max(...pages.map((file) => sizes.get(file))),
  everything: total(sizes.keys()),
};

let failed = [...first].some((file) => /charts/.test(file));
if (failed) console.log("charts are loaded before anybody looks at one");
for (const [what, size] of Object.entries(found)) {
  const isKept = size <= budgets[what] * kilobyte;
  failed ||= !isKept;
  console.log(`${what}: ${(size / kilobyte).toFixed(1)} of ${budgets[what]} kB${isKept ? "" : " TOO MUCH"}`);
}
process.exitCode = failed ? 1 : 0;
