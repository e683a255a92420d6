import { expect, it } from "vitest";
import { directoryName, linkable } from "./directories";

const entries = [
  { id: 1, name: "Okta" },
  { id: 2, name: "Entra" },
].map((directory) => ({
  directory: { ...directory, createdAt: "", createdBy: null, tokenCreatedAt: "" },
  lastUsedAt: null,
  userCount: 0,
  groupCount: 0,
}));

it("names a directory, also before the list of them has come", () => {
  expect(directoryName(2, entries)).toBe("Entra");
  expect(directoryName(undefined, entries)).toBe("the default directory");
  expect(directoryName(undefined, undefined)).toBe("the default directory");
  expect(directoryName(2, undefined)).toBe("a directory");
  expect(directoryName(9, entries)).toBe("a directory");
});

it("offers every directory but the one that it is linked to", () => {
  const offered = (managed: Parameters<typeof linkable>[0]) => linkable(managed, entries).map(({ name }) => name);
  expect(offered({})).toEqual(["the default directory", "Okta", "Entra"]);
  expect(offered({ scimLinked: true })).toEqual(["Okta", "Entra"]);
  expect(offered({ scimLinked: true, scimId: "7", scimDirectory: 1 })).toEqual(["the default directory", "Entra"]);
});

it("offers a link to the directory that took somebody over by itself, and so may do less", () => {
  expect(linkable({ scimId: "7" }, []).map(({ name }) => name)).toEqual(["the default directory"]);
  expect(linkable({ scimLinked: true, scimId: "7" }, [])).toEqual([]);
});
