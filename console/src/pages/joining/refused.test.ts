import { expect, it } from "vitest";
import { Refusal, Unreachable } from "../../api/refusal";
import { isDeadLink, isSaidBeside, reasonAgainst } from "./refused";

const refused = (status: number, name: string, ...paths: string[]) => {
  const details = paths.map((path) => ({ path, message: `${path}: It is not good.` }));
  return new Refusal(status, { id: "", name, message: "No.", details });
};

it("tells a dead link from what can be typed anew, and from a server that is away or busy", () => {
  expect(isDeadLink(refused(401, "InvalidTokenError"))).toBe(true);
  expect(isDeadLink(refused(400, "ValidationError", "/path/token"))).toBe(true);
  expect(isDeadLink(refused(400, "ValidationError", "/body/password"))).toBe(false);
  expect(isDeadLink(refused(429, "TooManyRequests"))).toBe(false);
  expect(isDeadLink(new Unreachable(undefined))).toBe(false);
});

it("says beside a field what is against it, and leaves nothing out", () => {
  const both = refused(400, "ValidationError", "/body/password", "/body/email");
  expect(reasonAgainst(both, "password")).toBe("It is not good.");
  expect(reasonAgainst(both, "name")).toBeUndefined();
  expect(isSaidBeside(both, ["password", "email"])).toBe(true);
  expect(isSaidBeside(both, ["password"])).toBe(false);
  expect(isSaidBeside(refused(409, "NameExistsError"), ["password", "email"])).toBe(false);
});
