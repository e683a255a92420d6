import { Alert } from "@mantine/core";
import { useExactRead } from "../../api/queries";
import { pendingRequest } from "./requests";

/** What becomes of a change that needs approval, before it is made. */
export function DraftNote({ project, environment }: { project: string; environment: string }) {
  const pending = useExactRead(pendingRequest(project)).data?.find((one) => one.environment === environment);
  const joined = pending && pending.state !== "Draft" ? pending : undefined;
  return (
    <Alert color="stone" variant="outline" role="status">
      Changes in {environment} need approval: this is added to {joined ? "your change request " : "your draft"}
      {joined && (
        <>
          #{joined.id} “<bdi>{joined.title}</bdi>”, which is {joined.state === "Approved" ? "approved" : "in review"}.
          Its approvals are then dropped
        </>
      )}
      , and takes effect once it is approved and applied.
    </Alert>
  );
}
