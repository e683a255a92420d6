import { describe, expect, it } from "vitest";
import type { ChangeRequest } from "../../parts/change-requests/requests";
import { happenings } from "./happenings";
import { conflictsOf, offersOf } from "./offers";
import { overwritten, saidOf, type Change } from "./sentences";

const user = (id: number) => ({ id, username: `user-${id}`, imageUrl: null });
const rollout = (share: string, more: object = {}) => ({
  id: "s",
  name: "flexibleRollout",
  title: null,
  parameters: { rollout: share, stickiness: "default", groupId: "checkout" },
  ...more,
});
const change = (action: string, payload?: object) =>
  ({ id: 1, action, payload, createdBy: user(1), createdAt: "2027-01-01T10:00:00.000Z" }) as unknown as Change;
const said = (action: string, payload?: object) => saidOf(change(action, payload), new Map([[7, "staff"]]));

describe("sentences of changes", () => {
  it.each([
    ["updateEnabled", { enabled: true }, "switches {feature} on in {environment}"],
    [
      "updateEnabled",
      { enabled: true, shouldActivateDisabledStrategies: true },
      "switches {feature} on in {environment} and enables its disabled strategies",
    ],
    ["archiveFeature", undefined, "archives {feature}: applications no longer know it"],
    ["addDependency", { feature: "login", enabled: false }, "has {feature} depend on login being off"],
    ["deleteDependency", undefined, "removes all that {feature} depends on"],
    ["reorderStrategy", [], "puts the strategies of {feature} in {environment} into another order"],
    ["deleteSegment", { id: 7, name: "staff" }, "deletes the segment staff"],
    ["startMilestone", {}, "does “startMilestone” to {feature} in {environment}"],
  ])("%s %j", (action, payload, sentence) => {
    expect(said(action, payload).template).toBe(sentence);
  });

  it("tells what changes in a strategy, and for whom it is on before and after", () => {
    expect(said("updateStrategy", { ...rollout("50"), segments: [7], snapshot: rollout("25") })).toEqual({
      template: "changes a strategy flexibleRollout of {feature} in {environment}: rollout 25 → 50 %, segments",
      before: "25 %",
      after: "50 % where in segment staff",
    });
  });
});

describe("what somebody else changed since", () => {
  const update = change("updateStrategy", { ...rollout("50"), snapshot: rollout("25") });
  const now = (share: string, title = "") => ({ ...rollout(share), title });

  it("is told of each property that is neither as it was nor as it is to be", () => {
    const seen = (share: string, title?: string) => overwritten(update, meaningOf(now(share, title)));
    expect(seen("25")).toEqual([]);
    expect(seen("50")).toEqual([]);
    expect(seen("30")).toEqual(["parameters"]);
    expect(seen("25", "Beta")).toEqual(["title"]);
  });

  const meaningOf = ({ name, title, parameters }: ReturnType<typeof now>) => ({
    name,
    title,
    disabled: false,
    parameters,
    constraints: [],
    segments: [],
    variants: [],
  });
});

const request = (state: string, more: Partial<ChangeRequest> = {}) =>
  ({
    state,
    createdBy: user(1),
    createdAt: "2027-01-01T10:00:00.000Z",
    features: [{ name: "checkout", changes: [change("archiveFeature")] }],
    segments: [],
    approvals: [],
    rejections: [],
    comments: [],
    stateTimestamps: {},
    minApprovals: 1,
    ...more,
  }) as unknown as ChangeRequest;

describe("what is offered", () => {
  const offered = (one: ChangeRequest, person: number, isAdmin = false, isGuarded = true) =>
    offersOf(one, { person, isAdmin, isGuarded }).map(({ wish, because }) => (because ? `(${wish})` : wish));

  it.each([
    ["Draft", ["review", "discard"], [], ["cancel"]],
    ["In review", ["(approve)", "reject", "cancel"], ["approve", "reject"], ["approve", "reject", "cancel"]],
    ["Approved", ["apply", "schedule", "cancel"], ["apply", "schedule"], ["apply", "schedule", "cancel"]],
    ["Scheduled", ["apply", "schedule", "reject"], ["apply", "schedule", "reject"], ["apply", "schedule", "reject"]],
    ["Applied", [], [], []],
    ["Rejected", [], [], []],
    ["Cancelled", [], [], []],
  ])("of one that is %s: to its author, to others, to administrators", (state, author, others, admin) => {
    expect(offered(request(state), 1)).toEqual(author);
    expect(offered(request(state), 2)).toEqual(others);
    expect(offered(request(state), 2, true)).toEqual(admin);
  });

  it("lets nobody approve twice, and nobody review where requests are off", () => {
    const approved = request("In review", { approvals: [{ createdBy: user(2), createdAt: "" }] });
    expect(offered(approved, 2)).toEqual(["(approve)", "reject"]);
    expect(offered(request("In review"), 2, false, false)).toEqual(["(approve)", "(reject)"]);
    expect(offered(request("Scheduled"), 2, false, false)).toEqual(["apply", "schedule", "reject"]);
  });

  it("applies nothing that has conflicts", () => {
    const conflicting = request("Approved", {
      features: [{ name: "checkout", conflict: "The feature is archived", changes: [] }],
    });
    expect(conflictsOf(conflicting)).toEqual(["The feature is archived"]);
    expect(offered(conflicting, 2)).toEqual(["(apply)", "(schedule)"]);
  });
});

it("tells what happened in the order of time", () => {
  const told = happenings(
    request("Approved", {
      stateTimestamps: { Draft: "2027-01-01T10:00:00.000Z", "In review": "2027-01-01T11:00:00.000Z" },
      approvals: [{ createdBy: user(2), createdAt: "2027-01-01T13:00:00.000Z" }],
      comments: [{ id: 1, text: "why?", createdBy: user(2), createdAt: "2027-01-01T12:00:00.000Z" }],
    }),
  );
  expect(told.map(({ said: one }) => one)).toEqual([
    "began the draft",
    "It was sent to review",
    "commented",
    "approved it",
  ]);
});
