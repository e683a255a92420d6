import { expect, it } from "vitest";
import { evaluationsInWords, impactInWords } from "./impactWords";

const none = { count: 0, share: 0, gained: 0, lost: 0, variant: 0 };

it("says for how many something changes, and what", () => {
  const changed = { count: 1_000, share: 0.1, gained: 800, lost: 0, variant: 200 };
  expect(impactInWords({ basis: "sampled", contexts: 10_000, changed })).toBe(
    "10 % of 10,000 sampled users get another answer: 800 gain it, 200 get another variant.",
  );
  expect(impactInWords({ basis: "synthetic", contexts: 500, changed: none })).toBe(
    "Nothing changes for any of 500 made-up users.",
  );
});

it("says how many evaluations would have another result", () => {
  expect(evaluationsInWords({ total: 48_000, wouldChange: 1_200 })).toBe(
    "1,200 of 48,000 evaluations of the last 24 hours would have another result.",
  );
  expect(evaluationsInWords({ total: 0, wouldChange: 0 })).toBe("No application evaluated it in the last 24 hours.");
});
