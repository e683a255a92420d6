import type { Tab } from "../../parts/area/Area";

/** The pages about what asks for features. */
export const programTabs: readonly Tab[] = [
  { label: "Applications", to: "/applications" },
  { label: "Edges", to: "/edges" },
  { label: "Unknown flags", to: "/unknown-flags" },
  { label: "Outdated SDKs", to: "/outdated-sdks" },
];
