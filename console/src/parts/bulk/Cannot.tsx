import { some } from "../strategies/audience";
import type { LeftOut } from "./trial";
import { WithMoments } from "../Moment";

/** Flags that are left out, by the reason. */
export function Cannot({ leftOut }: { leftOut: readonly LeftOut[] }) {
  if (leftOut.length === 0) return null;
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  return (
    <div className="preview" tabIndex={0} role="region" aria-label="What is left out">
      <ul>
        {reasons.map((reason) => (
          <li key={reason} className="breaks">
            <strong>
              <bdi>
                {some(
                  leftOut.filter((one) => one.reason === reason).map(({ feature }) => feature.name),
                  5,
                )}
              </bdi>
            </strong>
            : <WithMoments text={reason} />
          </li>
        ))}
      </ul>
    </div>
  );
}
