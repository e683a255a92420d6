import { Code, Group, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { useRead } from "../../api/queries";
import { request as plan } from "../../api/request";
import { isOpen, sizeOf, type FeatureChanges, type SegmentChange } from "../../parts/change-requests/requests";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { useSegmentNames } from "../../parts/strategies/segments";
import { counted } from "../../words/counts";
import classes from "./ChangeRequest.module.css";
import type { Shown } from "./shown";
import { DiscardChange } from "./DiscardChange";
import { EditChange } from "./edit/EditChange";
import { consequenceOf, overwritten, saidOf, segmentOf, strategyNow, type Change } from "./sentences";
import type { Plain } from "../../parts/conflict/merge";
import { WithMoments } from "../../parts/Moment";

interface Of extends Pick<Shown, "request"> {
  /** Of the environment. */
  type: string | undefined;
}

/** What a change request would do, flag by flag, in the order in which it is done. */
export function Changes(of: Of) {
  const { request } = of;
  const { features, segments } = request;
  return (
    <>
      {sizeOf(request) === 0 && <div className="card">It holds no change yet.</div>}
      {features.map((feature) => (
        <FeatureChanges key={feature.name} {...of} feature={feature} />
      ))}
      {segments.length > 0 && (
        <section className="card" aria-label="Segments">
          <Title order={2}>Segments</Title>
          <ol className={classes.list}>
            {segments.map((change) => (
              <SegmentLine key={change.id} {...of} change={change} />
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

interface FeatureProps extends Of {
  feature: FeatureChanges;
}

/** Changes of which somebody else may have changed the target since. */
const hasTarget = ({ action }: Change) =>
  action === "updateStrategy" || action === "deleteStrategy" || action === "patchVariant";

function FeatureChanges({ feature, ...of }: FeatureProps) {
  const { request, type } = of;
  const segments = useSegmentNames();
  const { project, environment } = request;
  const { name, changes, conflict, defaultChange } = feature;
  const now = useRead(
    plan("get", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}", {
      params: { path: { projectId: project, featureName: name, environment } },
    }),
    { enabled: isOpen(request.state) && !conflict && changes.some(hasTarget) },
  ).data;
  const targetNow = (change: Change): Plain | undefined => {
    if (!now) return undefined;
    if (change.action === "patchVariant") return { variants: now.variants ?? [] };
    return "payload" in change && "id" in change.payload
      ? strategyNow(now.strategies, String(change.payload.id))
      : undefined;
  };
  return (
    <section className="card" aria-label={name}>
      <Title order={2} className="breaks">
        <Link to="/projects/$projectId/features/$featureName" params={{ projectId: project, featureName: name }}>
          <bdi>{name}</bdi>
        </Link>
      </Title>
      {conflict && (
        <p className="danger">
          {conflict}.{" "}
          <Link to="/projects/$projectId/$tab" params={{ projectId: project, tab: "archive" }}>
            Archive of the project
          </Link>
        </p>
      )}
      <ol className={classes.list}>
        {changes.map((change) => (
          <Line key={change.id} {...of} name={name} change={change} now={targetNow(change)} />
        ))}
        {defaultChange && (
          <li className={`${classes.change} muted`}>
            By itself:{" "}
            <Template text={consequenceOf(defaultChange, segments)} name={name} environment={environment} type={type} />
          </li>
        )}
      </ol>
    </section>
  );
}

function SegmentLine({ change, ...of }: Of & { change: SegmentChange }) {
  const now = useRead(
    plan("get", "/api/admin/segments/{segmentId}", { params: { path: { segmentId: change.payload.id } } }),
    { enabled: isOpen(of.request.state) && !change.conflict },
  ).data;
  return <Line {...of} name="" change={change} now={now && segmentOf(now)} />;
}

interface LineProps extends Of {
  /** Of the flag. */
  name: string;
  change: Change;
  /** What it is about, as it is by now. */
  now: Plain | undefined;
}

function Line({ name, change, now, type, request }: LineProps) {
  const segments = useSegmentNames();
  const { template, before, after } = saidOf(change, segments);
  const lost = now && isOpen(request.state) ? overwritten(change, now) : [];
  const collisions = change.scheduleConflicts?.changeRequests ?? [];
  return (
    <li className={classes.change}>
      <div className="breaks">
        <Template text={template} name={name} environment={request.environment} type={type} />
      </div>
      {before !== undefined && (
        <del className="breaks">
          <span className="visually-hidden">Before: </span>
          <bdi>
            <WithMoments text={before} />
          </bdi>
        </del>
      )}
      {after !== undefined && (
        <ins className="breaks">
          <span className="visually-hidden">Afterwards: </span>
          <bdi>
            <WithMoments text={after} />
          </bdi>
        </ins>
      )}
      {change.conflict && (
        <div className={`danger ${classes.remark}`}>
          <WithMoments text={change.conflict} />. Discard this change.
        </div>
      )}
      {lost.length > 0 && (
        <div className={`warning breaks ${classes.remark}`} role="note">
          Somebody else changed {counted(lost.length, "property", "properties")} of it since ({lost.join(", ")}):
          applying overwrites that. To keep it, its author edits this change, or discards it and does it anew.
        </div>
      )}
      {collisions.length > 0 && (
        <div className={`warning breaks ${classes.remark}`} role="note">
          A scheduled change request changes the same:{" "}
          {collisions.map(({ id, title }) => (
            <Fragment key={id}>
              <Link
                to="/projects/$projectId/change-requests/$id"
                params={{ projectId: request.project, id: String(id) }}
              >
                #{id} <bdi>{title}</bdi>
              </Link>{" "}
            </Fragment>
          ))}
          – agree with its author on which of them is to be, and discard the other.
        </div>
      )}
      <details className="request">
        <summary>As JSON</summary>
        <Code block tabIndex={0} role="region" aria-label={`Change ${change.id} as JSON`}>
          {JSON.stringify(change, null, 2)}
        </Code>
      </details>
      <Group gap="sm">
        <EditChange request={request} feature={name} change={change} />
        <DiscardChange request={request} change={change} />
      </Group>
    </li>
  );
}

interface TemplateProps {
  text: string;
  name: string;
  environment: string;
  type: string | undefined;
}

/** A sentence with the flag and the environment where those belong. */
function Template({ text, name, environment, type }: TemplateProps) {
  return text.split(/(\{feature\}|\{environment\})/).map((part, at) =>
    part === "{feature}" ? (
      <strong key={at}>
        <bdi>{name}</bdi>
      </strong>
    ) : part === "{environment}" ? (
      <EnvironmentName key={at} name={environment} type={type} />
    ) : (
      <bdi key={at}>
        <WithMoments text={part} />
      </bdi>
    ),
  );
}
