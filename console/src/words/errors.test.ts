import { expect, it } from "vitest";
import { linesOf, titleOf } from "./errors";

const sources = import.meta.glob<string>("../../../src/{access,api,changes,edge,error,server,sign_in}/**/*.rs", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Names of refusals as the program writes them: of each kind, and of rules whose breach has a name of its own. */
const names = Object.values(sources)
  .flatMap((source) => [
    ...source.matchAll(/StatusCode::\w+, "(\w+)"\)/g),
    ...source.matchAll(/name: "(\w+(?:Error|Mismatch))"/g),
    ...source.matchAll(/"name":"(\w+Error)"/g),
  ])
  .map(([, name]) => name!);

it("reads the names of the program", () => {
  expect(new Set(names).size).toBeGreaterThan(30);
});

it.each([...new Set(names)].sort())("has words for %s", (name) => {
  expect(titleOf(name)).not.toBe(titleOf("SomethingNewError"));
  expect(titleOf(name)).not.toMatch(/Error|[A-Z]{3}|[a-z][A-Z]/);
});

it("names kinds of refusals in words, also those that it does not know", () => {
  expect(titleOf("SomethingNewError")).not.toContain("Error");
});

it("says the same once, and every finding", () => {
  const message = "The /body/name property must not be empty.";
  expect(linesOf({ name: "ValidationError", message, details: [{ message }, { message: "Other." }] })).toEqual([
    "Name must not be empty.",
    "Other.",
  ]);
});
