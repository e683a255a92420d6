// Whether the console has the style sheets of all parts of Mantine that it uses, and of no others:
// `node build/styles.mjs DIRECTORY`.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

const sheets = new URL("../node_modules/@mantine/core/styles/", import.meta.url);
const assets = join(process.argv[2] ?? "dist", "assets");

const text = async (ending) => {
  const files = (await readdir(assets)).filter((file) => file.endsWith(ending));
  return (await Promise.all(files.map((file) => readFile(join(assets, file), "utf8")))).join("\n");
};
const classes = (text) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));

const [used, styled] = [classes(await text(".js")), classes(await text(".css"))];
const wrong = [];
for (const file of await readdir(sheets)) {
  if (!file.endsWith(".css") || file.endsWith(".layer.css")) continue;
  const own = [...classes(await readFile(new URL(file, sheets), "utf8"))];
  const isUsed = own.some((one) => used.has(one));
  if (own.length && isUsed !== own.some((one) => styled.has(one)))
    wrong.push(`${file} is ${isUsed ? "missing in" : "not needed by"} src/theme/styles.ts`);
}
for (const line of wrong) console.log(line);
process.exitCode = wrong.length ? 1 : 0;
