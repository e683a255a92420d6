import { Button, Group } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { useExactRead, useGuards } from "../../api/queries";
import { counted } from "../../words/counts";
import { ActionButton } from "../ActionButton";
import { useAct } from "../act";
import { EnvironmentName } from "../EnvironmentName";
import { projectOf } from "../project/offered";
import classes from "./DraftBanner.module.css";
import { entering, inEnvironment, pendingRequest, sizeOf, type ChangeRequest } from "./requests";

/** On the pages of a project: what the person collected there and did not send to review yet. */
export function DraftBanner() {
  const { pathname } = useLocation();
  const project = projectOf(pathname);
  const guards = useGuards(project);
  const isGuarded = guards.some(({ changeRequestEnabled }) => changeRequestEnabled);
  const read = useExactRead(pendingRequest(project ?? ""), { enabled: isGuarded });
  if (!isGuarded) return null;
  return (read.data ?? [])
    .filter(({ state, id }) => state === "Draft" && !pathname.endsWith(`/change-requests/${id}`))
    .map((draft) => (
      <Draft
        key={draft.id}
        draft={draft}
        type={guards.find(({ environment }) => environment === draft.environment)?.type}
      />
    ));
}

function Draft({ draft, type }: { draft: ChangeRequest; type: string | undefined }) {
  const { act, busy } = useAct();
  const { project, id, environment } = draft;
  const planned = inEnvironment(entering(draft, { state: "In review" }));
  return (
    <Group role="status" className={classes.banner} gap="sm" justify="space-between">
      <span className="breaks">
        Your draft for <EnvironmentName name={environment} type={type} />: {counted(sizeOf(draft), "change")}.
      </span>
      <Group gap="sm">
        <Button
          variant="default"
          size="compact-sm"
          renderRoot={(props) => (
            <Link
              to="/projects/$projectId/change-requests/$id"
              params={{ projectId: project, id: String(id) }}
              {...props}
            />
          )}
        >
          Open the draft
        </Button>
        <ActionButton
          size="compact-sm"
          request={planned}
          loading={busy}
          onClick={() => void act({ request: planned, done: `#${id} is in review.` })}
        >
          Send to review
        </ActionButton>
      </Group>
    </Group>
  );
}
