// How many steps each task takes: told at the end, and in docs/console.md.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { earlier, earlierSum } from "./earlier.mjs";

const document = new URL("../../../docs/console.md", import.meta.url);
const [begin, end] = ["<!-- steps -->", "<!-- /steps -->"];

const cells = (line) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const row = (parts) => `| ${parts.join(" | ")} |`;

/** The table of all tasks, by the columns of the ways in which they were done, beside the earlier console. */
export function tableOf(ways, tasks, done) {
  const lines = tasks.map(({ task }) => {
    const here = ways.map(({ key }) => done.get(key)?.get(task));
    const slowest = Math.max(...here.map((one) => one?.seconds ?? 0));
    return row([task, ...here.map((one) => one?.steps ?? "–"), slowest.toFixed(1), earlier(task)]);
  });
  const sums = ways.map(({ key }) => {
    const here = [...(done.get(key)?.values() ?? [])];
    return here.length === tasks.length ? here.reduce((sum, { steps }) => sum + steps, 0) : "–";
  });
  return [
    row(["Task", ...ways.map(({ label }) => label), "Seconds", "Earlier console"]),
    `|---|${"--:|".repeat(ways.length + 2)}`,
    ...lines,
    row(["All", ...sums, "", earlierSum]),
  ].join("\n");
}

const split = async () => {
  const text = await readFile(document, "utf8");
  const [before, rest] = text.split(`${begin}\n`);
  const [table, after] = rest.split(end);
  return { before, table, after };
};

export async function renew(table) {
  const { before, after } = await split();
  await writeFile(document, `${before}${begin}\n${table}\n${end}${after}`);
}

/** What is documented is so: each click, and not many more keys, whose number depends on what else is on a page. */
export async function assertAsDocumented(ways, table) {
  const documented = new Map(
    (await split()).table
      .split("\n")
      .map(cells)
      .map(([task, ...rest]) => [task, rest]),
  );
  const wrong = table.split("\n").flatMap((line) => {
    const [task, ...now] = cells(line);
    const then = documented.get(task) ?? [];
    return ways.flatMap(({ label, hand }, at) => {
      const [steps, known] = [Number(now[at]), Number(then[at])];
      if (Number.isNaN(steps)) return [];
      const isSo = hand === "mouse" ? steps === known : steps <= known * 1.2 + 3;
      return isSo ? [] : [`${task}, ${label}: ${steps} steps, documented ${then[at]}`];
    });
  });
  assert.deepEqual(wrong, [], "tests/console/run --pictures renews the table of docs/console.md");
}
