import { expect, it } from "vitest";
import { Refusal } from "../../../../api/refusal";
import { addressOf, type Planned } from "../../../../api/request";
import { eventInProduction as event, sampleStrategy as strategy } from "../../../../parts/rewind/sampleEvents";
import { pastOf, type Event } from "./past";
import { mostRestored, prepare, type Send } from "./preparing";

const updated = (flag: string) =>
  event("feature-strategy-update", flag, { data: strategy("s1", "50"), preData: strategy("s1", "10") });

const details = (name: string, environment = "production") => ({
  project: "shop",
  name,
  type: "release",
  stale: false,
  impressionData: false,
  archived: false,
  tags: [],
  dependencies: [],
  environments: [
    { name: environment, enabled: true, strategies: [strategy("s1", "50"), strategy("other", "1")], variants: [] },
  ],
});

/** A server that knows flags with a strategy, of which one is missing and another not in the environment. */
const server =
  (fresh: Event[] = []): Send =>
  (planned) => {
    const path = addressOf(planned);
    const body = planned.init.body as { features: string[] } | undefined;
    const answer = (data: unknown) => Promise.resolve({ data: data as never, version: "v7" });
    if (path.includes("/search/events")) return answer({ events: fresh, total: fresh.length });
    if (path.includes("change-requests/config")) return answer([]);
    if (path.includes("dryRun"))
      return answer({
        events: body!.features.map((featureName) => ({
          type: "feature-environment-enabled",
          project: "shop",
          featureName,
          environment: "production",
        })),
      });
    if (path.endsWith("/gone"))
      return Promise.reject(new Refusal(404, { name: "NotFoundError", message: "gone" } as never));
    const name = path.split("/").at(-1)!;
    return answer(details(name, name === "away" ? "development" : "production"));
  };

const admin = [{ permission: "ADMIN" }] as never;
const ask = (events: Event[], more: { fresh?: Event[]; held?: never; guards?: never } = {}) =>
  prepare({
    environment: "production",
    chosen: pastOf("production", events).flags,
    newest: 200_000,
    held: more.held ?? admin,
    send: server(more.fresh),
    guardsOf: () => Promise.resolve(more.guards ?? []),
  });
const called = (planned: Planned) => [planned.operation.id, planned.init.params?.header?.["If-Match"]];

it("switches many in one request, and restores the others one by one over what they are now", async () => {
  const found = await ask([
    event("feature-environment-disabled", "a"),
    event("feature-environment-disabled", "b"),
    event("feature-environment-enabled", "c"),
    updated("d"),
  ]);
  expect(
    found.steps.map(({ planned, features }) => [...called(planned), features.map(({ name }) => name).join()]),
  ).toEqual([
    ["bulkToggleFeaturesEnvironmentOff", undefined, "c"],
    ["updateFeatureStrategy", "v7", "d"],
    ["bulkToggleFeaturesEnvironmentOn", undefined, "a,b"],
  ]);
  expect([found.can.length, found.cannot, found.drafted, found.isOutdated]).toEqual([4, [], 0, false]);
});

it("says of each that cannot why", async () => {
  const { steps, can, cannot } = await ask([updated("gone"), updated("away"), updated("well")]);
  expect([steps.length, can.map(({ name }) => name)]).toEqual([1, ["well"]]);
  expect(cannot.map(({ feature, reason }) => [feature.name, reason])).toEqual([
    ["away", "shop does not use production."],
    ["gone", "It is no longer there."],
  ]);
});

it("asks for the permission of each request, and drafts what needs approval", async () => {
  const held = [{ permission: "CREATE_FEATURE_STRATEGY", project: "shop", environment: "production" }] as never;
  const refused = await ask([updated("a")], { held });
  expect([refused.steps.length, refused.cannot[0]!.reason]).toEqual([
    0,
    expect.stringContaining("in production of shop"),
  ]);
  const guards = [{ environment: "production", type: "production", changeRequestEnabled: true }] as never;
  const drafted = await ask([updated("a")], { held, guards });
  expect([drafted.steps.length, drafted.drafted, drafted.cannot]).toEqual([1, 1, []]);
});

it("does nothing over what was changed meanwhile", async () => {
  const fresh = (featureName: string) => [{ ...updated(featureName), id: 300_000 }];
  expect((await ask([updated("a")], { fresh: fresh("a") })).isOutdated).toBe(true);
  expect((await ask([updated("a")], { fresh: fresh("b") })).isOutdated).toBe(false);
});

it("restores so many at once and no more", async () => {
  const events = Array.from({ length: mostRestored + 1 }, (_, at) => updated(`flag-${at}`));
  const { steps, cannot } = await ask(events);
  expect([steps.length, cannot.length]).toEqual([mostRestored, 1]);
});
