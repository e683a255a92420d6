import { expect, it } from "vitest";
import { eventTypes } from "../../api/generated/operations";
import { eventInWords, sentence, template } from "./sentence";

const words = (event: Partial<Parameters<typeof sentence>[0]> & { type: never }) =>
  sentence({ featureName: null, environment: null, project: null, data: null, preData: null, ...event })
    .map(({ text }) => text)
    .join("");

it.each(eventTypes)("has a sentence for %s", (type) => {
  expect(template(type)).toMatch(/^[a-z]+ .*[a-z}]$/);
  expect(template(type)).not.toContain("-");
  expect(words({ type: type as never })).not.toMatch(/[{}]/);
});

it("names what the event is about", () => {
  expect(
    words({
      type: "feature-environment-enabled" as never,
      featureName: "checkout",
      environment: "production",
    }),
  ).toBe("switched on checkout in production");
  expect(words({ type: "segment-created" as never, data: { name: "beta" } } as never)).toBe("made a segment: beta");
  expect(words({ type: "user-deleted" as never, preData: { username: "ada" } } as never)).toBe("deleted a user: ada");
});

it("tells what a dry run would do", () => {
  expect(eventInWords("feature-environment-enabled in production")).toBe("switched on in production");
  expect(eventInWords("feature-archived")).toBe("archived");
});
