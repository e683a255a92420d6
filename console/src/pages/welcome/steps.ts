export interface Facts {
  projects: number;
  features: number;
  /** Whether a feature is on anywhere. */
  isOn: boolean;
  programs: number;
}

export type Step = "project" | "feature" | "connect" | "switch";

/** What is done already. A project is: every instance has one. */
export const done = ({ projects, features, isOn, programs }: Facts): Record<Step, boolean> => ({
  project: projects > 0,
  feature: features > 0,
  connect: programs > 0,
  switch: isOn,
});

export const next = (facts: Facts): Step | undefined =>
  (["project", "feature", "connect", "switch"] as const).find((step) => !done(facts)[step]);
