import { Alert, Button, List, Stack, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { because } from "../../api/reason";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { isRequested } from "../../parts/change-requests/requests";
import { EnvironmentName, isProduction } from "../../parts/EnvironmentName";
import { eventInWords } from "../../parts/events/sentence";
import { Problem } from "../../parts/Problem";
import { ReasonInput } from "../../parts/ReasonInput";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { Waiting } from "../../parts/Waiting";
import { byFeature } from "./file";
import { counted, number } from "../../words/counts";
import { Missing } from "./Missing";
import { besides, lacks, withoutEffect } from "./lacks";
import { useThere } from "./there";

interface Props {
  body: Schemas["ImportRequest"];
  /** Of the environment. */
  type: string | undefined;
}

/** Above so many features, production asks for their number. */
const few = 10;
const listed = 50;

const importing = (body: Props["body"], dryRun: boolean) =>
  request("post", "/api/admin/features-batch/import", { params: { query: dryRun ? { dryRun } : {} }, body });

/** What the server says of an import before it is made, and then makes it. */
export function Trial({ body: given, type }: Props) {
  const { project, environment } = given;
  const [created, setCreated] = useState<ReadonlySet<string>>(new Set());
  const body = { ...given, data: withoutEffect(given.data, created) };
  const there = useThere(project);
  const checked = useRead(request("post", "/api/admin/features-batch/validate", { body }), { staleTime: 0 });
  const { errors = [], warnings = [], permissions = [] } = checked.data ?? {};
  const lacking = there ? lacks(given.data, environment, there) : [];
  const isClean = checked.data !== undefined && errors.length + permissions.length === 0;
  const trial = useRead(importing(body, true), { enabled: isClean, staleTime: 0 });
  const [typed, setTyped] = useState("");
  const [made, setMade] = useState<Schemas["ImportOutcome"]>();
  const { act, busy, error } = useAct({ inline: true });
  const [reason, setReason] = useState("");
  const planned = because(importing(body, false), reason);

  if (checked.error) return <Problem error={checked.error} again={() => void checked.refetch()} />;
  if (!checked.data) return <Waiting />;
  if (made && isRequested(made.events)) {
    return (
      <Alert color="stone" variant="outline" role="status" title="It waits for approval">
        Changes in <EnvironmentName name={environment} type={type} /> need approval: they are your change request, which
        is in review.{" "}
        <Link to="/projects/$projectId/$tab" params={{ projectId: project, tab: "change-requests" }}>
          Change requests of <bdi>{project}</bdi>
        </Link>
      </Alert>
    );
  }
  if (made) {
    return (
      <Alert color="stone" variant="outline" role="status" title="Imported">
        {number(made.totalEvents)} changes were made in{" "}
        <Link to="/projects/$projectId/features" params={{ projectId: project }}>
          <bdi>{project}</bdi>
        </Link>
        .{" "}
        <Link to="/projects/$projectId/$tab" params={{ projectId: project, tab: "history" }}>
          Its history
        </Link>{" "}
        has each of them.
      </Alert>
    );
  }
  const changes = byFeature(trial.data?.events ?? []);
  const features = [...changes.keys()].filter(Boolean).length;
  const needsApproval = isRequested(trial.data?.events ?? []);
  const mustType = isProduction(type) && features > few && !needsApproval;

  async function run() {
    if (mustType && typed.trim() !== String(features)) return;
    const done = await act({ request: planned });
    if (done) setMade(done.data);
  }

  return (
    <Stack gap="md">
      <Missing
        project={project}
        lacks={lacking}
        onCreated={(names) => setCreated((before) => new Set([...before, ...names]))}
      />
      <Findings
        title="Errors: nothing can be imported before they are gone"
        color="red"
        findings={besides(errors, lacking)}
      />
      <Findings title="Permissions that you would need" color="red" findings={besides(permissions, [])} />
      <Findings title="Warnings" color="stone" findings={besides(warnings, [])} />
      {!isClean && (
        <Button variant="default" onClick={() => void checked.refetch()} loading={checked.isFetching}>
          Check again
        </Button>
      )}
      {trial.error && <Problem error={trial.error} again={() => void trial.refetch()} />}
      {isClean && !trial.data && !trial.error && <Waiting />}
      {isClean && trial.data && (
        <>
          <p>
            <strong>
              {trial.data.totalEvents
                ? `${counted(trial.data.totalEvents, "change")} of ${counted(features, "flag")} in `
                : "It is all there already: nothing would change in "}
              <EnvironmentName name={environment} type={type} />
            </strong>{" "}
            of <bdi>{project}</bdi>.
          </p>
          <div className="preview" tabIndex={0} role="region" aria-label="What will change">
            <List size="sm">
              {[...changes].slice(0, listed).map(([name, said]) => (
                <List.Item key={name} className="breaks">
                  <bdi>{name || project}</bdi> <span className="muted">{said.map(eventInWords).join(", ")}</span>
                </List.Item>
              ))}
              {changes.size > listed && <List.Item className="muted">and {changes.size - listed} more</List.Item>}
            </List>
          </div>
          {mustType && (
            <TextInput
              label={`Type ${features}, the number of flags that change in production`}
              inputMode="numeric"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          {needsApproval ? (
            <Alert color="stone" variant="outline" role="status">
              Changes in {environment} need approval: they become a change request of yours, which is in review, and
              take effect once it is approved and applied.
            </Alert>
          ) : (
            <ReasonInput reason={reason} onChange={setReason} />
          )}
          <Problem error={error} />
          <RequestPreview requests={[planned]} />
          <div>
            <ActionButton
              request={planned}
              place={{ project, environment }}
              loading={busy}
              because={
                trial.data.totalEvents === 0
                  ? "Nothing would change."
                  : mustType && typed.trim() !== String(features)
                    ? `Type ${features} first.`
                    : undefined
              }
              onClick={() => void run()}
            >
              {needsApproval ? "Send to review" : `Import ${isProduction(type) ? "into ▲ production" : "it"}`}
            </ActionButton>
          </div>
        </>
      )}
    </Stack>
  );
}

interface FindingsProps {
  title: string;
  color: string;
  findings: Schemas["ImportFindings"]["errors"];
}

function Findings({ title, color, findings }: FindingsProps) {
  if (!findings.length) return null;
  return (
    <Alert color={color} variant="outline" title={title}>
      <List size="sm">
        {findings.map(({ message, affectedItems }) => (
          <List.Item key={message} className="breaks">
            {message} <bdi>{affectedItems.slice(0, 20).join(", ")}</bdi>
            {affectedItems.length > 20 && ` and ${affectedItems.length - 20} more`}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
