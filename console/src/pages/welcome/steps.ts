/** What the server says of a project: whether it is there, has a flag, and has an application that asked and evaluated. */
export interface Facts {
  project: boolean;
  feature: boolean;
  asked: boolean;
  evaluated: boolean;
}

export const steps = ["project", "feature", "asked", "evaluated"] as const;
export type Step = (typeof steps)[number];

export const next = (facts: Facts): Step | undefined => steps.find((step) => !facts[step]);
