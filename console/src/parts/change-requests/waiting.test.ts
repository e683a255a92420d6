import { expect, it } from "vitest";
import type { Held } from "../../api/permissions";
import { mayDecide } from "./waiting";

const held = (...permissions: string[]): Held =>
  permissions.map((permission) =>
    permission === "ADMIN" ? { permission } : { permission, project: "shop", environment: "production" },
  ) as never;
const approves = held("APPROVE_CHANGE_REQUEST");
const applies = held("APPLY_CHANGE_REQUEST");
const of = (state: string, more: object = {}) =>
  ({ state, createdBy: { id: 1 }, project: "shop", environment: "production", ...more }) as never;
const scheduled = (status: string) => of("Scheduled", { schedule: { status } });

it.each([
  ["an approval that somebody may give", of("In review"), approves, 2, true],
  ["no approval of one's own", of("In review"), approves, 1, false],
  ["one's own of an administrator", of("In review"), held("ADMIN"), 1, true],
  ["no approval without the permission", of("In review"), applies, 2, false],
  ["no approval elsewhere", of("In review", { environment: "test" }), approves, 2, false],
  ["no approval in another project", of("In review", { project: "bank" }), approves, 2, false],
  ["what is to be applied, also by its author", of("Approved"), applies, 1, true],
  ["nothing to apply without the permission", of("Approved"), approves, 2, false],
  ["no schedule that waits for its time", scheduled("pending"), applies, 2, false],
  ["a schedule that failed", scheduled("failed"), applies, 2, true],
  ["a schedule that is suspended", scheduled("suspended"), applies, 2, true],
  ["no draft", of("Draft"), held("ADMIN"), 1, false],
  ["nothing that is over", of("Applied"), held("ADMIN"), 2, false],
])("waits for %s", (_, request, permissions, person, expected) => {
  expect(mayDecide(request, person, permissions)).toBe(expected);
});
