import { expect, it } from "vitest";
import { comparison, differs, usualPair } from "./comparison";

const strategy = (id: string, rollout: string) => ({
  id,
  name: "flexibleRollout",
  parameters: { rollout, stickiness: "default", groupId: "f" },
});
const environment = (name: string, more: object) => ({ name, type: "development", enabled: true, ...more }) as never;

it("puts strategies that do the same into one row, whatever their ids", () => {
  const rows = comparison(
    environment("development", { strategies: [strategy("1", "10"), strategy("2", "50")] }),
    environment("production", { enabled: false, strategies: [strategy("9", "50"), strategy("8", "100")] }),
  );
  expect(rows).toEqual([
    { what: "State", one: "on", other: "off" },
    { what: "Strategy", one: "10 %", other: undefined },
    { what: "Strategy", one: "50 %", other: "50 %" },
    { what: "Strategy", one: undefined, other: "everybody" },
    { what: "Variants", one: undefined, other: undefined },
  ]);
  expect(rows.filter(differs)).toHaveLength(3);
});

it("tells strategies apart by all that they do", () => {
  const rows = comparison(
    environment("a", { strategies: [{ ...strategy("1", "10"), disabled: true }] }),
    environment("b", { strategies: [strategy("1", "10")] }),
  );
  expect(rows.filter(differs).map(({ one, other }) => [one, other])).toEqual([
    ["10 %: disabled", undefined],
    [undefined, "10 %"],
  ]);
});

it("begins with production on the right", () => {
  const isLive = (type?: string) => type === "production";
  const of = (name: string, type: string) => environment(name, { type });
  expect(usualPair([of("live", "production"), of("qa", "test")], isLive)).toEqual(["qa", "live"]);
  expect(usualPair([of("a", "test"), of("b", "test")], isLive)).toEqual(["a", "b"]);
});
