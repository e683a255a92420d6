import { expect, it } from "vitest";

const sources = import.meta.glob<string>("./**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** What a file imports of this folder: also types, what it passes on, and what it loads later. */
function importsOf(path: string, source: string): string[] {
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].flatMap(([, imported]) => {
    const place = `.${new URL(imported!, new URL(path, "file:///")).pathname}`;
    return [place, `${place}.ts`, `${place}.tsx`].filter((file) => file in sources);
  });
}

/** Circles, each from a file back to it. Of those that share files, not all are found. */
function circlesIn(imports: Record<string, string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  function visit(file: string) {
    const start = way.indexOf(file);
    if (start >= 0) found.push([...way.slice(start), file].join(" → "));
    if (start >= 0 || done.has(file)) return;
    way.push(file);
    for (const imported of imports[file] ?? []) visit(imported);
    way.pop();
    done.add(file);
  }
  for (const file of Object.keys(imports)) visit(file);
  return found;
}

const imports = Object.fromEntries(Object.entries(sources).map(([path, source]) => [path, importsOf(path, source)]));

it("reads the imports of the console", () => {
  expect(Object.values(imports).flat().length).toBeGreaterThan(2500);
  expect(imports["./router.tsx"]).toContain("./pages/feature/FeaturePage.tsx");
  expect(imports["./pages/feature/Overview.tsx"]).toContain("./pages/feature/shown.ts");
  expect(imports["./pages/feature/shown.ts"]).toContain("./api/request.ts");
});

it("finds a circle and names it", () => {
  expect(circlesIn({ a: ["b", "d"], b: ["c", "d"], c: ["d", "a"], d: [] })).toEqual(["a → b → c → a"]);
  expect(circlesIn({ a: ["a", "b"], b: [] })).toEqual(["a → a"]);
});

// What two files need of each other belongs into a third one, such as `shown.ts` beside a page.
it("has no files that import each other in a circle", () => {
  expect(circlesIn(imports)).toEqual([]);
});
