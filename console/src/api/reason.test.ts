// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { curl } from "./curl";
import { because } from "./reason";
import { onlyFor, request } from "./request";

const planned = onlyFor(
  request("post", "/api/admin/environments/{name}/on", { params: { path: { name: "qa" } } }),
  'W/"1"',
);

it("sends a reason in ASCII, beside the version", () => {
  expect(because(planned, " größer, für Ada ").init.params?.header).toEqual({
    "If-Match": 'W/"1"',
    "X-Change-Reason": "gr%C3%B6%C3%9Fer%2C%20f%C3%BCr%20Ada",
  });
  expect(because(planned, "ticket 7").init.params?.path).toEqual({ name: "qa" });
});

it("sends none where none is given", () => {
  expect(because(planned, "  ")).toBe(planned);
});

it("is part of the command that a script would run", () => {
  expect(curl(because(planned, "ticket 7"))).toContain("-H 'X-Change-Reason: ticket%207'");
  expect(curl(because(planned, "ticket 7"))).toContain(`-H 'If-Match: W/"1"'`);
});
