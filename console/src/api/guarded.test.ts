import { expect, it } from "vitest";
import { operations } from "./generated/operations";
import { proposable } from "./proposals";
import { walled } from "./walls";

/** What the server's tests say of each operation that writes. */
const [matrix = ""] = Object.values(
  import.meta.glob<string>("../../../tests/api/change_requests/guard/operations.rs", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);
const sources = import.meta.glob<string>("../{api,parts,pages}/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

function listed(name: string): string[] {
  const [, list = ""] = new RegExp(`const ${name}: &\\[&str\\] = &\\[([^\\]]*)\\]`).exec(matrix) ?? [];
  return [...list.replace(/\/\/.*$/gm, "").matchAll(/"(\w+)"/g)].map(([, id]) => id!);
}
const [environment, project, nobody, requested, sometimes] = [
  "ENVIRONMENT",
  "PROJECT",
  "NOBODY",
  "REQUESTED",
  "SOMETIMES",
].map(listed);
const guarded = [environment, project, nobody, requested, sometimes].flatMap((list) => list ?? []);

const idOf = (key: string) => operations[key]?.[0] ?? key;

/** A path by the name of its constant, with those that it begins with. */
function pathOf(source: string, name: string): string | undefined {
  const literal = new RegExp(`const ${name} =\\s*["\`]([^"\`]+)["\`]`).exec(source)?.[1];
  return literal && filled(source, literal);
}
const filled = (source: string, literal: string): string =>
  literal.replace(/\$\{(\w+)\}/g, (whole, name: string) => pathOf(source, name) ?? whole);

function pathsIn(source: string, path: string | undefined, variable: string | undefined): string[] {
  const found = path === undefined ? pathOf(source, variable ?? "") : filled(source, path);
  return found === undefined ? [] : [found];
}

/** Every writing call of the console: its operation, and the file that plans it. */
const written = Object.entries(sources).flatMap(([name, source]) =>
  /\.test\.|generated/.test(name)
    ? []
    : [
        ...source.matchAll(/request\(\s*"(post|put|patch|delete)",\s*(?:["`]([^"`]+)["`]|(\w+)(?: \? \w+ : \w+)?)/g),
        // One of two paths.
        ...source.matchAll(/request\(\s*"(post|put|patch|delete)",\s*\w+ \? (?:["`]([^"`]+)["`]|(\w+)) :/g),
        ...source.matchAll(/request\(\s*"(post|put|patch|delete)",\s*\w+ \? \w+ : (?:["`]([^"`]+)["`]|(\w+))/g),
      ].flatMap(([, method, path, variable]) =>
        pathsIn(source, path, variable).map((found) => ({ id: idOf(`${method!.toUpperCase()} ${found}`), name })),
      ),
);

/** Guarded operations that become a change request, or that no change request can hold, each with how it is met. */
const imports = ["importFeatures"];
/** Guarded for some calls only: those that archive, which the console does by an operation of its own. */
const harmless = ["updateFeature", "patchFeature"];

it("reads the matrix of the server, and the calls of the console", () => {
  expect(environment).toContain("addFeatureStrategy");
  expect(nobody).toEqual(["cloneFeature"]);
  expect(guarded).toHaveLength(29);
  expect(written.length).toBeGreaterThan(100);
  expect(written.filter(({ id }) => !/^\w+$/.test(id))).toEqual([]);
  expect(new Set(written.map(({ id }) => id)).has("toggleFeatureEnvironmentOff")).toBe(true);
});

it("offers the request, or says what to do instead, for every guarded operation that the console uses", () => {
  const met = new Set([...[...proposable, ...walled].map(idOf), ...imports, ...harmless]);
  const used = guarded.filter((id) => written.some((one) => one.id === id));
  expect(used.length).toBeGreaterThan(15);
  expect(used.filter((id) => !met.has(id))).toEqual([]);
});

it("drafts and refuses nothing that the server lets pass", () => {
  expect([...proposable, ...walled].map(idOf).filter((id) => !guarded.includes(id))).toEqual([]);
  expect(proposable.filter((key) => walled.includes(key))).toEqual([]);
});

it("never archives a flag by an update of it", () => {
  const bodies = written.filter(({ id }) => harmless.includes(id)).map(({ name }) => sources[name]!);
  expect(bodies.length).toBeGreaterThan(2);
  expect(bodies.filter((source) => /\/archived"|archived: true/.test(source))).toEqual([]);
});

/** Files that send calls themselves, none of them guarded: all others change things by `change()`, which drafts. */
const sending: Record<string, string> = {
  "./queries.ts": "reads",
  "../parts/attempt.ts": "signing in, and what has no project",
  "../parts/bulk/BulkPreview.tsx": "trials",
  "../parts/change-requests/draft.ts": "the one place that decides",
  "../parts/frame/Bell.tsx": "notifications are read",
  "../parts/impact/ExpectedImpact.tsx": "changes nothing",
  "../parts/live/useLive.ts": "reads",
  "../parts/second-factor/PasskeyButton.tsx": "asks for a challenge",
  "../parts/strategies/validation.ts": "changes nothing",
  "../pages/access/AccessPage.tsx": "reads",
  "../pages/build/environments/rewind/RestorePreview.tsx": "reads, and a trial",
  "../pages/build/environments/rewind/reading.ts": "reads",
  "../pages/feature/EditableDescription.tsx": "reads",
  "../pages/feature/compare/Compare.tsx": "a trial",
  "../pages/feature/compare/copying.ts": "an export",
  "../pages/features/BulkForms.tsx": "an export",
  "../pages/features/NewFeature.tsx": "validates",
  "../pages/import/ExportPage.tsx": "an export",
  "../pages/import/Missing.tsx": "creates what an import lacks",
  "../pages/instance/Integrity.tsx": "reads",
  "../pages/joining/NewPassword.tsx": "validates",
  "../pages/people/inactive/Inactive.tsx": "a trial",
  "../pages/people/users/many/InviteMany.tsx": "creates users",
  "../pages/sign-in-settings/Leaving.tsx": "a trial",
  "../pages/sign-in-settings/Provider.tsx": "reads",
  "../pages/sign-in-settings/accounts/AccountPolicy.tsx": "reads, and a trial",
  "../pages/sign-in-settings/policy.ts": "reads",
  "../pages/feature/settings/Metadata.tsx": "reads",
  "../pages/features/every.ts": "reads",
  "../pages/project/environments/DefaultStrategy.tsx": "reads",
  "../pages/project/settings/Reviewers.tsx": "reads",
  "../pages/project/settings/SettingsForm.tsx": "reads",
  "../parts/events/usePutBack.tsx": "reads",
  "../parts/forms/EditDrawer.tsx": "reads",
  "../parts/strategies/segments.ts": "reads",
};

/** Whether all that a source sends is a read that is planned in the call. */
const onlyReads = (source: string) =>
  [...source.matchAll(/\bsend\(\s*([\w."]+)\(?\s*("\w+")?/g)].every(
    ([, what, method]) => what === "request" && method === '"get"',
  );

it("sends guarded calls by the one place that drafts them", () => {
  const found = Object.entries(sources)
    .filter(([name]) => !/\.test\.|\/client\.ts$/.test(name))
    .filter(([, source]) => /import \{[^}]*\bsend\b[^}]*\} from "[./]+(api\/)?client"/.test(source))
    // What is read where it is sent needs no name.
    .filter(([, source]) => !onlyReads(source))
    .map(([name]) => name);
  expect(found.sort()).toEqual(Object.keys(sending).sort());
});
