import { Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useGuards, useMe } from "../../api/queries";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { discardingDraft, entering, inEnvironment, readRequest } from "../../parts/change-requests/requests";
import { confirm } from "../../parts/confirm";
import type { Shown } from "./shown";
import { Decide, type Decision } from "./Decide";
import { offersOf, type Offer, type Wish } from "./offers";

const labels: Record<Wish, string> = {
  review: "Send to review …",
  approve: "Approve …",
  reject: "Reject …",
  apply: "Apply now …",
  schedule: "Schedule …",
  cancel: "Cancel the change request …",
  discard: "Discard the draft …",
};

const isMain = (wish: Wish) => wish === "review" || wish === "approve" || wish === "apply";

/** What can be done with a change request, each with the reason why not. */
export function Actions({ request, version }: Shown) {
  const navigate = useNavigate();
  const me = useMe();
  const { act, withOwnChanges, busy } = useAct();
  const [decision, setDecision] = useState<{ wish: Decision; version: string | undefined }>();
  const { project, environment, state } = request;
  const guards = useGuards(project);
  const offers = offersOf(request, {
    person: me?.user.id,
    isAdmin: me?.permissions.some(({ permission }) => permission === "ADMIN") ?? false,
    isGuarded: guards.find((one) => one.environment === environment)?.changeRequestEnabled ?? false,
  });
  if (offers.length === 0) return null;

  async function discard() {
    const planned = discardingDraft(request);
    const meant = await confirm({
      title: `Discard ${request.title}`,
      action: "Discard it",
      danger: true,
      requests: [planned],
      consequence: "The draft is gone with all of its changes. Nobody else has seen it.",
    });
    if (meant && (await act({ request: planned, done: "The draft is discarded." })))
      void navigate({ to: "/projects/$projectId/$tab", params: { projectId: project, tab: "change-requests" } });
  }

  const run = ({ wish }: Offer) =>
    wish === "discard"
      ? void discard()
      : void withOwnChanges(readRequest(request), (read) => setDecision({ wish, version: read.version }));
  const planned = ({ wish, permission }: Offer) =>
    wish === "discard" ? discardingDraft(request) : inEnvironment(entering(request, { state: "Applied" }), permission);
  return (
    <>
      <Group gap="sm" role="group" aria-label="What to do with it">
        {offers.map((offer) => (
          <ActionButton
            key={offer.wish}
            request={planned(offer)}
            place={{ project, environment }}
            because={offer.because}
            variant={isMain(offer.wish) ? "filled" : "default"}
            loading={busy}
            onClick={() => run(offer)}
          >
            {offer.wish === "schedule" && state === "Scheduled" ? "Schedule anew …" : labels[offer.wish]}
          </ActionButton>
        ))}
      </Group>
      {decision && (
        <Decide
          request={request}
          wish={decision.wish}
          version={decision.version}
          isOutdated={decision.version !== version}
          onClose={() => setDecision(undefined)}
        />
      )}
    </>
  );
}
