import { Code } from "@mantine/core";
import { states, type Delivery } from "./integrations";
import { WithMoments } from "../../parts/Moment";

/** How a delivery ended, by a sign, a word and what the receiver said. */
export function Outcome({ state, words }: { state: Delivery["state"]; words: string }) {
  const { label, tone, sign } = states[state];
  return (
    <div className="breaks">
      <span aria-hidden className={tone}>
        {sign}{" "}
      </span>
      <strong className={tone}>{label}</strong>{" "}
      <span>
        <WithMoments text={words} />
      </span>
    </div>
  );
}

/** What was sent, without secrets. */
export function Sent({ details }: { details: unknown }) {
  return (
    <details className="request">
      <summary>What was sent</summary>
      <Code block tabIndex={0} role="region" aria-label="What was sent, as JSON">
        {JSON.stringify(details, null, 2)}
      </Code>
    </details>
  );
}
