import { expect, it } from "vitest";
import { operations } from "../../../api/generated/operations";
import { proposable } from "../../../api/proposals";
import { draftOf } from "../../feature/strategy/draft";
import { dependencyOf, editing, hasForm, ofDependency, ofSegment, ofStrategy, type Of } from "./editing";

const by = { id: 1, createdBy: { id: 1 }, createdAt: "" };
const parameters = { rollout: "25", stickiness: "default", groupId: "f" };
const strategy = { name: "flexibleRollout", title: "Some", parameters, constraints: [], sortOrder: 7 };
const change = (action: string, payload?: object) => ({ ...by, action, payload }) as never;

it("edits all changes that hold something", () => {
  const withoutPayload = ["archiveFeature", "deleteDependency", "deleteStrategy", "deleteSegment"];
  expect(withoutPayload.filter((action) => hasForm(change(action)))).toEqual([]);
  const others = ["updateEnabled", "addStrategy", "updateStrategy", "reorderStrategy", "patchVariant", "addDependency"];
  expect([...others, "updateSegment"].filter((action) => !hasForm(change(action)))).toEqual([]);
  expect(proposable.length).toBeGreaterThan(others.length);
});

it("sends the strategy with what its form does not show, and without its snapshot", () => {
  const added: Of<"addStrategy"> = change("addStrategy", strategy);
  const draft = { ...draftOf(strategy, "f"), parameters: { ...parameters, rollout: "50" } };
  expect(ofStrategy("f", added, draft)).toMatchObject({
    feature: "f",
    action: "addStrategy",
    payload: { title: "Some", sortOrder: 7, parameters: { rollout: "50" } },
  });
  const updated: Of<"updateStrategy"> = change("updateStrategy", { ...strategy, id: "s", snapshot: strategy });
  const sent = ofStrategy("f", updated, draft);
  expect(sent).toMatchObject({ action: "updateStrategy", payload: { id: "s", sortOrder: 7 } });
  expect("payload" in sent && sent.payload).not.toHaveProperty("snapshot");
});

it("reads a dependency into its form and out of it", () => {
  for (const payload of [
    { feature: "basket", enabled: true, variants: [] },
    { feature: "basket", enabled: false },
    { feature: "basket", enabled: true, variants: ["blue"] },
  ]) {
    const wanted = dependencyOf(change("addDependency", payload));
    expect(ofDependency("checkout", wanted)).toEqual({ feature: "checkout", action: "addDependency", payload });
  }
});

it("keeps a segment in its project", () => {
  const stored: Of<"updateSegment"> = change("updateSegment", {
    id: 7,
    name: "staff",
    project: "shop",
    constraints: [],
  });
  const draft = { name: " staff ", description: "", project: "shop", constraints: [] };
  expect(ofSegment(stored, draft)).toEqual({
    action: "updateSegment",
    payload: { id: 7, name: "staff", description: null, project: "shop", constraints: [] },
  });
});

it("edits over what was seen, as the author may", () => {
  const body = { feature: "f", action: "updateEnabled", payload: { enabled: true } } as const;
  const planned = editing({ project: "shop", id: 3 }, 4, body, '"v"');
  expect(planned.operation.id).toBe("editChange");
  expect(operations[`${planned.method} ${planned.path}`]).toBeDefined();
  expect(planned.operation.needs).toEqual([]);
  expect(planned.init.params?.header).toEqual({ "If-Match": '"v"' });
});
