import { expect, it } from "vitest";
import { Refusal } from "../../api/refusal";
import { complaintAt, complaints, complaintsOf, isAllBeside } from "./complaints";

const refused = (name: string, message: string, details?: { message: string; path?: string }[]) =>
  new Refusal(400, { id: "1", name, message, details });

it("finds the property that a refusal is about", () => {
  const refusal = refused("ValidationError", "no", [{ message: "must be https", path: "/body/discoverUrl" }]);
  expect(complaints(refusal)).toEqual({ discoverUrl: "must be https" });
  expect(complaints(new Error("x"))).toEqual({});
});

it("says beside a field what is about it and what is in it, and nothing else", () => {
  const refusal = refused("ValidationError", "no", [
    { message: "The /body/name property is required.", path: "/body/name" },
    { message: "The /body/tags/0/type property is required.", path: "/body/tags/0/type" },
  ]);
  expect(complaintAt(refusal, "name")).toBe("Is missing.");
  expect(complaintAt(refusal, "tags")).toBe("Tag 1, type is missing.");
  expect(complaintAt(refusal, "nam")).toBeUndefined();
  expect(isAllBeside(refusal, new Set(["name"]))).toBe(false);
  expect(isAllBeside(refusal, new Set(["name", "tags"]))).toBe(true);
});

it("puts beside the name that it is taken, or breaks the rule of its project", () => {
  const taken = "A feature of that name already exists; names are unique in the whole instance.";
  expect(complaintAt(refused("NameExistsError", taken), "name")).toBe(taken);
  expect(complaintAt(refused("NameExistsError", 'The project id "shop" is taken.'), "id")).toContain("taken");
  const ofProvider = 'There is a login provider with the id "corp" already.';
  expect(complaintAt(refused("NameExistsError", ofProvider), "id")).toBe(ofProvider);
  const broken = 'The /body/name property must match the naming pattern of the project, "s-.+", such as "s-a".';
  expect(complaintAt(refused("PatternError", broken), "name")).toBe(
    "Must follow the naming rule of the project, such as s-a.",
  );
});

it("puts beside the id of a login provider what is wrong with it in the path", () => {
  const message =
    'The path parameter `providerId` must be another, since addresses use this word for something else; "x-1" would do.';
  const refusal = refused("ValidationError", message, [{ message, path: "/path/providerId" }]);
  expect(complaintAt(refusal, "id")).toBe(
    'Provider id must be another, since addresses use this word for something else; "x-1" would do.',
  );
  expect(isAllBeside(refusal, new Set(["id"]))).toBe(true);
  expect(complaintsOf(refused("ValidationError", message, [{ message, path: "/path/userId" }]))).toEqual([]);
});

it("leaves a refusal that is about no field to the form", () => {
  expect(isAllBeside(refused("ExceedsLimitError", "At most 5 flags."), new Set(["name"]))).toBe(false);
});
