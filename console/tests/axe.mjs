// What axe finds on a page.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Findings by all rules of WCAG 2.2 AA and of good practice, or by some of them: a rule and where it is broken each. */
export async function findings(page, only) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async (only) => {
    const { violations } = await window.axe.run(document, {
      resultTypes: ["violations"],
      ...(only ? { runOnly: only } : { rules: { "target-size": { enabled: true } } }),
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} (${node.failureSummary})`).join("; ")}`,
    );
  }, only);
}
