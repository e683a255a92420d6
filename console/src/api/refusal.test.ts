import { expect, it } from "vitest";
import { complaintAt } from "../parts/forms/complaints";
import { inWords } from "../parts/notices";
import { ofPart, Refusal } from "./refusal";

const message = "The /body/0/payload/name property must not be empty.";
const refused = new Refusal(400, {
  id: "1",
  name: "ValidationError",
  message,
  details: [{ message, path: "/body/0/payload/name" }],
});

it("says what is wrong with a part at the fields of that part", () => {
  expect(complaintAt(refused, "name")).toBeUndefined();
  const narrowed = ofPart(refused, "0/payload");
  expect(complaintAt(narrowed, "name")).toBe("Must not be empty.");
  expect(narrowed).toBeInstanceOf(Refusal);
  expect((narrowed as Refusal).lines).toEqual(["Name must not be empty."]);
});

it("leaves what is no refusal as it is", () => {
  const failure = new Error("away");
  expect(ofPart(failure, "payload")).toBe(failure);
  expect(ofPart(undefined, "payload")).toBeUndefined();
});

it("asks for no permission to skip approvals, but says what to do", () => {
  const [line] = inWords(
    new Refusal(403, { id: "1", name: "NoAccessError", message: "no", permissions: ["SKIP_CHANGE_REQUEST"] }),
  );
  expect(line).toContain("need approval");
  const [other] = inWords(
    new Refusal(403, { id: "1", name: "NoAccessError", message: "no", permissions: ["CREATE_PROJECT"] }),
  );
  expect(other).toContain("“Create projects”");
});
