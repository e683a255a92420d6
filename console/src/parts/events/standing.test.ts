import { expect, it } from "vitest";
import { putBack } from "./putBack";
import { standing } from "./standing";

const of = (type: string, more: object) =>
  ({ id: 1, createdAt: "", createdBy: "ada", type, project: "shop", featureName: "checkout", ...more }) as never;
const here = (more: object) =>
  ({ name: "checkout", stale: true, description: "now", environments: [{ name: "production", ...more }] }) as never;
const parts = (event: never, feature: never) => standing(event, feature, putBack(event)!);

it("tells a switch as it is and as it will be", () => {
  const event = of("feature-environment-enabled", { environment: "production" });
  expect(parts(event, here({ enabled: true }))).toEqual({ now: { enabled: true }, then: { enabled: false } });
  expect(parts(event, here({ enabled: false })).now).toEqual({ enabled: false });
});

it("tells a strategy that somebody changed or removed since", () => {
  const preData = { id: "s1", name: "default", title: "old" };
  const event = of("feature-strategy-update", { environment: "production", preData });
  const changed = here({ strategies: [{ id: "s1", name: "default", title: "newer", featureName: "checkout" }] });
  expect(parts(event, changed).now).toMatchObject({ title: "newer" });
  expect(parts(event, here({ strategies: [] })).now).toEqual({});
});

it("tells settings by the names of the request", () => {
  const event = of("feature-metadata-updated", { environment: null, preData: { description: "old", stale: false } });
  expect(parts(event, here({}))).toMatchObject({
    now: { description: "now", stale: true },
    then: { description: "old", stale: false },
  });
});
