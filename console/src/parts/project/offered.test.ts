// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { offered, projectOf } from "./offered";

const project = (id: string, createdAt: string, more = {}) => ({ id, createdAt, favorite: false, owners: [], ...more });
const owners = [{ ownerType: "user" as const, name: "Ada", email: "ada@example.com" }];
const projects = [
  project("default", "2026-01-01"),
  project("old", "2026-02-01", { owners }),
  project("mine", "2026-03-01", { owners }),
  project("liked", "2026-04-01", { favorite: true }),
];

it("offers the project that was used last, as long as it is there", () => {
  expect(offered(projects, "liked", undefined)).toBe("liked");
  expect(offered(projects, "gone", { email: "ada@example.com" })).toBe("mine");
});

it("offers the newest own project before favourites, and those before any", () => {
  expect(offered(projects, null, { name: "Ada" })).toBe("mine");
  expect(offered(projects, null, { name: "Bob" })).toBe("liked");
  expect(offered(projects.slice(0, 2), null, { name: "Bob" })).toBe("default");
  expect(offered([], null, undefined)).toBeUndefined();
});

it("takes nobody without a name for the owner of what belongs to the system", () => {
  const system = [
    project("a", "2026-01-01"),
    project("b", "2026-02-01", { owners: [{ ownerType: "system" as const }] }),
  ];
  expect(offered(system, null, {})).toBe("a");
});

it("reads the project from the path of a page", () => {
  expect(projectOf("/projects/web%20shop/features/a")).toBe("web shop");
  expect(projectOf("/projects")).toBeUndefined();
  expect(projectOf("/features")).toBeUndefined();
});
