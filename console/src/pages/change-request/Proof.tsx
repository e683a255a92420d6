import { Button, Group, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request as plan, type Schemas } from "../../api/request";
import { saveAs } from "../../parts/csv";
import { Moment } from "../../parts/Moment";
import { Unread } from "../../parts/Unread";
import classes from "./ChangeRequest.module.css";
import type { Shown } from "./shown";

type Certificate = Schemas["ChangeRequestProof"];

const results: Record<Certificate["result"], { text: string; look: string }> = {
  proved: { text: "Proved: what was applied is what was approved.", look: "good" },
  "not-proved": { text: "Not proved.", look: "danger" },
  "not-applied": { text: "Nothing was applied yet.", look: "muted" },
  "log-too-short": {
    text: "It cannot be proved: the event log begins after this change request did.",
    look: "warning",
  },
};

/** For an auditor: whether what was applied is what was approved, by whom, and the file that shows it without this server. */
export function Proof({ request }: Pick<Shown, "request">) {
  const [isOpen, setOpen] = useState(false);
  if (request.state === "Draft") return null;
  return (
    <section className="card" aria-label="Proof">
      <Title order={2}>Proof</Title>
      {isOpen ? (
        <Opened request={request} />
      ) : (
        <>
          <p>Approvals are bound to the changes that were seen, in the event log.</p>
          <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
            Show the proof
          </Button>
        </>
      )}
    </section>
  );
}

function Opened({ request }: Pick<Shown, "request">) {
  const { project, id } = request;
  const read = useRead(
    plan("get", "/api/admin/projects/{projectId}/change-requests/{id}/proof", {
      params: { path: { projectId: project, id } },
    }),
  );
  if (!read.data || read.data.changeRequestId !== id) return <Unread read={read} />;
  const { result, findings, remarks, approvals, application, changesDigest } = read.data;
  const { text, look } = results[result];
  return (
    <>
      <p role="status" className={look}>
        <strong>{text}</strong>
      </p>
      {[...findings, ...remarks].map((line) => (
        <p key={line} className="breaks">
          {line}
        </p>
      ))}
      <ul className={classes.list}>
        {approvals.map(({ approvalId, counts, event }) => (
          <Certified
            key={approvalId}
            event={event}
            said={counts ? "approved what is here" : "approved something else: it does not count"}
          />
        ))}
        {application && <Certified event={application.event} said="applied it" />}
      </ul>
      <p className="mono breaks muted">SHA-256 of the changes: {changesDigest}</p>
      <Group gap="sm" mt="sm">
        <Button
          variant="default"
          size="compact-sm"
          onClick={() =>
            saveAs(`change-request-${id}-proof.json`, "application/json", JSON.stringify(read.data, null, 2))
          }
        >
          Save as a file
        </Button>
      </Group>
    </>
  );
}

function Certified({ event, said }: { event: Schemas["CertifiedEvent"]; said: string }) {
  return (
    <li className="breaks">
      <bdi>{event.createdBy}</bdi> {said} <Moment at={event.createdAt} absolute />
      <div className="mono breaks muted">
        event {event.id}, {event.hash ? `hash ${event.hash}` : "not hashed yet"}
      </div>
    </li>
  );
}
