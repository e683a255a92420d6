import { expect, it } from "vitest";
import { Refusal } from "../../api/refusal";
import { complaints } from "./complaints";

it("finds the property that a refusal is about", () => {
  const refusal = new Refusal(400, {
    id: "1",
    name: "ValidationError",
    message: "no",
    details: [{ message: "must be https", path: "/body/discoverUrl" }],
  });
  expect(complaints(refusal)).toEqual({ discoverUrl: "must be https" });
  expect(complaints(new Error("x"))).toEqual({});
});
