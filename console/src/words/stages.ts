import type { Schemas } from "../api/request";

type Stage = NonNullable<Schemas["SearchFeature"]["lifecycle"]>["stage"];

/** The stages that a flag passes through, in their order, and what each means. */
export const stages: Record<Stage, string> = {
  initial: "No application has asked for it.",
  "pre-live": "Applications ask for it, but not in production.",
  live: "It is on in production, and asked for there.",
  completed: "It did what it was for, and can be removed from the code.",
  archived: "It is in the archive of its project.",
};
