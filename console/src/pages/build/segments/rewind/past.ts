import type { Schemas } from "../../../../api/request";
import { same } from "../../../../parts/conflict/merge";
import { folded, type Step } from "../../../../parts/rewind/folding";
import { inWords, some, takesOneValue } from "../../../../parts/strategies/audience";
import type { Aspect } from "../../../feature/compare/comparison";
import { draftOf, type Draft } from "../plans";

type Event = Schemas["Event"];
type Segment = Schemas["Segment"];
type Constraint = Schemas["Constraint"];

/** Type of the event before which there was no segment. */
export const birth = "segment-created";

/** Filters of the search for what happened to a segment: only its own events hold when it was created. */
export const filtersOf = ({ createdAt }: Segment) => ({
  type: `IS_ANY_OF:${birth},segment-updated`,
  query: createdAt,
});

/** Whether an event is about a segment. */
export const isAbout =
  (id: number) =>
  ({ data, preData }: Event) =>
    [data, preData].some((stored) => (stored as Partial<Segment> | null | undefined)?.id === id);

function before(state: Draft, { type, preData }: Event): Step<Draft> {
  if (type !== "segment-updated") return { state };
  const earlier = preData as Segment | null | undefined;
  return earlier?.name && Array.isArray(earlier.constraints)
    ? { state: draftOf(earlier) }
    : { state, missing: "An event does not hold what the segment was before it." };
}

/** The segment after each of its events, newest first. */
export const states = (now: Segment, events: readonly Event[]) => folded(draftOf(now), events, before);

/** What a constraint decides: the order of its values does not count, nor what it leaves out. */
const meaning = ({ contextName, operator, inverted, caseInsensitive, value, values }: Constraint) => ({
  contextName,
  operator,
  inverted: inverted ?? false,
  caseInsensitive: caseInsensitive ?? false,
  value: takesOneValue(operator) ? (value ?? "") : "",
  values: takesOneValue(operator) ? [] : [...(values ?? [])].sort(),
});
const sense = (constraints: readonly Constraint[]) => constraints.map(meaning);

/** Values of a constraint that are listed in words. */
const shownValues = 10;

/** A constraint in words, the values that the other one does not have first. */
function inFull(constraint: Constraint, other?: Constraint): string {
  const { contextName, operator, inverted, caseInsensitive, value, values } = meaning(constraint);
  const others = new Set(other?.values ?? []);
  const own = values.filter((one) => !others.has(one));
  const listed = [...own, ...values.filter((one) => others.has(one))];
  const wanted = takesOneValue(operator) ? value : some(listed, shownValues);
  return [
    `${inverted ? "not: " : ""}${contextName} ${inWords(operator)} ${wanted || "nothing"}`,
    ...(caseInsensitive ? ["ignoring case"] : []),
    // Both may begin with the same values.
    ...(other && values.length > shownValues ? [`${values.length} values, ${own.length} of them only here`] : []),
  ].join(", ");
}

/** Constraints side by side: those that decide the same, then those about the same field, then all others. */
function constraintRows(now: readonly Constraint[], then: readonly Constraint[]): Aspect[] {
  const left = [...then];
  const take = (isMeant: (one: Constraint) => boolean) => {
    const at = left.findIndex(isMeant);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const twins = new Map(now.map((one) => [one, take((other) => same(meaning(one), meaning(other)))]));
  const rows = now.map((one): Aspect => {
    if (twins.get(one)) return { what: "Constraint", one: inFull(one), other: inFull(one) };
    const other = take(({ contextName }) => contextName === one.contextName);
    return { what: "Constraint", one: inFull(one, other), other: other && inFull(other, one) };
  });
  return [...rows, ...left.map((other): Aspect => ({ what: "Constraint", one: undefined, other: inFull(other) }))];
}

/** A segment now and then, side by side. */
export const aspectsOf = (now: Draft, then: Draft): Aspect[] => [
  { what: "Name", one: now.name, other: then.name },
  { what: "Description", one: now.description, other: then.description },
  { what: "For", one: now.project || "all projects", other: then.project || "all projects" },
  ...constraintRows(now.constraints, then.constraints),
];

/** Whether a segment was otherwise. */
export const wasOtherwise = (now: Draft, then: Draft) =>
  !same({ ...now, constraints: sense(now.constraints) }, { ...then, constraints: sense(then.constraints) });
