import { request, type Planned, type Schemas } from "../../../api/request";
import { same } from "../../../parts/conflict/merge";
import { folded, type Step } from "../../../parts/rewind/folding";
import { audience } from "../../../parts/strategies/audience";
import { sharesInWords } from "../../../parts/variants/weights";
import type { Aspect } from "../../feature/compare/comparison";
import { defaultOf, saving } from "../environments/plans";
import { generalOf, linksOf, planGeneral, planLinks, planRules, rulesOf } from "../settings/plans";

type Event = Schemas["Event"];
type Overview = Schemas["ProjectOverview"];
type DefaultStrategy = Overview["environments"][number]["defaultStrategy"];

/** Type of the event before which there was no project. */
export const birth = "project-created";

/** Types of the events that tell of its settings and environments. */
const told = [
  birth,
  "project-updated",
  "project-environment-added",
  "project-environment-removed",
  "default-strategy-updated",
];

/** Types of the events that tell of its members, which stay as they are. */
const ofMembers: string[] = [
  "project-access-added",
  "project-access-updated",
  "project-access-user-roles-updated",
  "project-access-group-roles-updated",
  "project-access-user-roles-deleted",
  "project-access-group-roles-deleted",
  "project-user-added",
  "project-user-removed",
  "project-user-role-changed",
  "project-group-added",
  "project-group-removed",
  "project-group-role-changed",
];

/** Filters of the search for what happened to a project. */
export const filtersOf = (projectId: string) => ({
  project: `IS:${projectId}`,
  type: `IS_ANY_OF:${[...told, ...ofMembers].join(",")}`,
});

/** A project at some moment: what its events tell of it. */
export interface State {
  general: ReturnType<typeof generalOf>;
  rules: ReturnType<typeof rulesOf>;
  links: ReturnType<typeof linksOf>;
  /** The default strategies of the environments that it used. */
  environments: Record<string, DefaultStrategy>;
  /** What happened to its members since, newest first: they stay as they are. */
  members: readonly Event[];
}

type Settings = Parameters<typeof generalOf>[0];

const settingsOf = (project: Settings) => ({
  general: generalOf(project),
  rules: rulesOf(project),
  links: linksOf(project),
});

/** The project as it is now. */
export const stateOf = (project: Overview): State => ({
  ...settingsOf(project),
  environments: Object.fromEntries(
    project.environments.map(({ environment, defaultStrategy }) => [environment, defaultStrategy]),
  ),
  members: [],
});

/** The default strategy that an environment had when the project left it, by the older events. */
function lastStrategy(environment: string, older: readonly Event[]): DefaultStrategy {
  for (const { type, environment: where, data } of older) {
    if (where !== environment) continue;
    if (type === "project-environment-added") return undefined;
    if (type === "default-strategy-updated") return data as DefaultStrategy;
  }
  return undefined;
}

function before(state: State, event: Event, older: readonly Event[]): Step<State> {
  const { type, environment, preData } = event;
  if (ofMembers.includes(type)) return { state: { ...state, members: [...state.members, event] } };
  const earlier = preData as Partial<Settings> | null | undefined;
  const put = (name: string, strategy: DefaultStrategy): State => ({
    ...state,
    environments: { ...state.environments, [name]: strategy },
  });
  if (type === "project-updated") {
    if (!earlier?.name || !earlier.mode || !earlier.defaultStickiness)
      return { state, missing: "An event does not hold the settings before it." };
    // Without links, events leave them out.
    const whole = { linkTemplates: [], featureNaming: {}, ...earlier } as unknown as Settings;
    return { state: { ...state, ...settingsOf(whole) } };
  }
  if (!environment) return { state };
  switch (type) {
    case "project-environment-added": {
      const others = Object.entries(state.environments).filter(([name]) => name !== environment);
      return { state: { ...state, environments: Object.fromEntries(others) } };
    }
    case "project-environment-removed":
      return {
        state: put(environment, lastStrategy(environment, older)),
        missing: `What its flags had in ${environment} before the project left it is not in the event log.`,
      };
    case "default-strategy-updated":
      return { state: put(environment, earlier as DefaultStrategy) };
    default:
      return { state };
  }
}

/** The project after each of its events, newest first. */
export const states = (now: Overview, events: readonly Event[]) =>
  folded(stateOf(now), events, (state, event, at) => before(state, event, events.slice(at + 1)));

/** Some of a project that is put back together. */
export interface Part {
  title: string;
  rows: Aspect[];
  /** The request that puts it back; absent where it is as it was, or is not put back here. */
  planned?: Planned;
  /** Why it is not put back here. */
  because?: string;
  /** The environment that it is about. */
  environment?: string;
}

const generalInWords = ({ name, description, mode, defaultStickiness }: State["general"]) => ({
  Name: name,
  Description: description,
  "Who sees it": mode,
  "Stickiness of new strategies": defaultStickiness,
});
const rulesInWords = ({ featureLimit, pattern, example, description }: State["rules"]) => ({
  "Most flags": featureLimit || "no limit",
  "Pattern for names": pattern,
  "Example of a name": example,
  "What names should say": description,
});
const linksInWords = ({ templates }: State["links"]) => ({
  "Links of new flags": templates
    .map(({ title, urlTemplate }) => [title, urlTemplate].filter(Boolean).join(": "))
    .join(", "),
});

function strategyInWords(strategy: DefaultStrategy, segments: ReadonlyMap<number, string>): string {
  const draft = defaultOf(strategy);
  return [
    ...(draft.title ? [draft.title] : []),
    audience(draft, segments),
    ...(draft.variants.length ? [`variants ${sharesInWords(draft.variants)}`] : []),
    ...(draft.disabled ? ["disabled"] : []),
  ].join(", ");
}

const besides = (now: Record<string, string>, then: Record<string, string>): Aspect[] =>
  Object.keys(now).map((what) => ({ what, one: now[what], other: then[what] }));

interface Around {
  projectId: string;
  segments: ReadonlyMap<number, string>;
  /** The environments that there are. */
  known: ReadonlySet<string>;
}

function partOfEnvironment(environment: string, now: State, then: State, { projectId, segments, known }: Around): Part {
  const isIn = (state: State) => Object.hasOwn(state.environments, environment);
  const strategyIn = (state: State) =>
    isIn(state) ? strategyInWords(state.environments[environment], segments) : undefined;
  const part = {
    title: environment,
    environment,
    rows: [
      { what: "In use", one: isIn(now) ? "yes" : "no", other: isIn(then) ? "yes" : "no" },
      { what: "Default strategy", one: strategyIn(now), other: strategyIn(then) },
    ],
  };
  const defaultStrategy = defaultOf(then.environments[environment]);
  if (isIn(now) && !isIn(then))
    return {
      ...part,
      because: "Taking it away loses what flags have in it: that is done on the page of the project's environments.",
    };
  if (isIn(then) && !isIn(now)) {
    if (!known.has(environment)) return { ...part, because: "This environment was deleted." };
    return {
      ...part,
      planned: request("post", "/api/admin/projects/{projectId}/environments", {
        params: { path: { projectId } },
        body: then.environments[environment] ? { environment, defaultStrategy } : { environment },
      }),
    };
  }
  return same(defaultOf(now.environments[environment]), defaultStrategy)
    ? part
    : { ...part, planned: saving(projectId, environment, defaultStrategy) };
}

/** A project now and then, in parts that are put back each by one request. */
export function partsOf(now: State, then: State, around: Around): Part[] {
  const { projectId } = around;
  const names = new Set([...Object.keys(now.environments), ...Object.keys(then.environments)]);
  return [
    {
      title: "General",
      rows: besides(generalInWords(now.general), generalInWords(then.general)),
      planned: same(now.general, then.general) ? undefined : planGeneral(projectId, then.general),
    },
    {
      title: "Rules for flags",
      rows: besides(rulesInWords(now.rules), rulesInWords(then.rules)),
      planned: same(now.rules, then.rules) ? undefined : planRules(projectId, then.rules),
    },
    {
      title: "Links of new flags",
      rows: besides(linksInWords(now.links), linksInWords(then.links)),
      planned: same(now.links, then.links) ? undefined : planLinks(projectId, then.links),
    },
    ...[...names].map((name) => partOfEnvironment(name, now, then, around)),
  ];
}
