import { Alert } from "@mantine/core";
import type { Difference } from "./fields";

/** What saving changes, and what somebody else changed since the form was opened. */
export function Differences({ mine, theirs }: { mine: Difference[]; theirs: Difference[] }) {
  return (
    <>
      {theirs.length > 0 && (
        <Alert color="stone" variant="outline" mb="sm" title="Somebody changed these settings meanwhile">
          {theirs.map(({ label }) => label).join(", ")}. What you did not touch stays as they saved it.
        </Alert>
      )}
      {mine.length === 0 ? (
        <p>Nothing: it is stored so already.</p>
      ) : (
        <ul>
          {mine.map(({ label, before, after }) => (
            <li key={label} className="breaks">
              {label}: <del>{before}</del> → <ins>{after}</ins>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
