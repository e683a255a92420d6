import type { Schemas } from "../../../api/request";
import { same } from "../../../parts/conflict/merge";
import { audience } from "../../../parts/strategies/audience";
import { sharesInWords } from "../../../parts/variants/weights";
import { draftOf } from "../strategy/draft";

type Environment = Schemas["FeatureEnvironmentDetails"];
type Place = Pick<Environment, "enabled" | "strategies" | "variants">;
type Strategy = Schemas["FeatureStrategy"];

/** One aspect of a flag in two environments; nothing where one of them does not have it. */
export interface Aspect {
  what: string;
  one: string | undefined;
  other: string | undefined;
}

export const differs = ({ one, other }: Aspect) => one !== other;

/** What a strategy does, without its id and its place. */
export const meaning = (strategy: Strategy) => draftOf(strategy, "");

/** The state, strategies and variants of a flag in two environments, or at two moments. Strategies that do the same stand in one row. */
export function comparison(one: Place, other: Place, segments?: ReadonlyMap<number, string>): Aspect[] {
  const said = (strategy: Strategy) =>
    [strategy.title, audience(strategy, segments), strategy.disabled && "disabled"].filter(Boolean).join(": ");
  const left = [...(other.strategies ?? [])];
  const rows = (one.strategies ?? []).map((strategy): Aspect => {
    const at = left.findIndex((candidate) => same(meaning(candidate), meaning(strategy)));
    const [twin] = at < 0 ? [] : left.splice(at, 1);
    return { what: "Strategy", one: said(strategy), other: twin && said(twin) };
  });
  const more = left.map((strategy): Aspect => ({ what: "Strategy", one: undefined, other: said(strategy) }));
  const variants = ({ variants: found = [] }: Place) => (found.length ? sharesInWords(found) : undefined);
  const state = ({ enabled }: Place) => (enabled ? "on" : "off");
  return [
    { what: "State", one: state(one), other: state(other) },
    ...rows,
    ...more,
    { what: "Variants", one: variants(one), other: variants(other) },
  ];
}

/** Which environments one most likely compares: the one before production, and production. */
export function usualPair(
  environments: readonly Environment[],
  isLive: (type: string | undefined) => boolean,
): [string, string] {
  const to = environments.find(({ type }) => isLive(type)) ?? environments[1] ?? environments[0];
  const from = environments.filter((one) => one !== to).at(0) ?? environments[0];
  return [from?.name ?? "", to?.name ?? ""];
}
