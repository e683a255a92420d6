import { Code, SegmentedControl, Title } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useEnvironments, useMe, useRead } from "../../api/queries";
import { useAddress } from "../../parts/address";
import { personOf, readRequest } from "../../parts/change-requests/requests";
import { StateChip } from "../../parts/change-requests/StateChip";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { Moment } from "../../parts/Moment";
import { ProjectTabs } from "../../parts/project/ProjectTabs";
import { useTitle } from "../../parts/title";
import { Unread } from "../../parts/Unread";
import { NotFound } from "../not-found/NotFound";
import { Actions } from "./Actions";
import { Approvals } from "./Approvals";
import classes from "./ChangeRequest.module.css";
import { Changes } from "./Changes";
import { Impact } from "./Impact";
import { Proof } from "./Proof";
import type { Shown } from "./shown";
import { Standing } from "./Standing";
import { Timeline } from "./Timeline";
import { TitleField } from "./TitleField";

/** One change request: what it would do, what others say of it, and what is done with it. */
export default function ChangeRequestPage() {
  const { projectId = "", id = "" } = useParams({ strict: false });
  const number = Number(id);
  const isNumber = Number.isSafeInteger(number) && number > 0;
  const read = useRead(readRequest({ project: projectId, id: number }), { enabled: isNumber });
  const request = read.data?.id === number ? read.data : undefined;
  useTitle(request?.title ?? `Change request #${id}`);
  if (!isNumber) return <NotFound />;
  return (
    <div className={classes.page}>
      <div>
        <div className="muted breaks">
          <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "change-requests" }}>
            Change requests
          </Link>{" "}
          of <bdi>{projectId}</bdi>
        </div>
        {request ? <TitleField key={request.id} request={request} /> : <Title order={1}>Change request #{id}</Title>}
      </div>
      <ProjectTabs projectId={projectId} tab="change-requests" />
      {request ? <Body request={request} version={read.version} /> : <Unread read={read} />}
    </div>
  );
}

const views = [
  { value: "sentences", label: "Sentences" },
  { value: "json", label: "JSON" },
];

function Body(shown: Shown) {
  const { request } = shown;
  const { get, change } = useAddress();
  const me = useMe();
  const type = useEnvironments().find(({ name }) => name === request.environment)?.type;
  const isOwn = me?.user.id === request.createdBy.id;
  return (
    <>
      <div className="breaks">
        <StateChip state={request.state} schedule={request.schedule} /> in{" "}
        <EnvironmentName name={request.environment} type={type} />, #{request.id}, by{" "}
        <bdi>{isOwn ? "you" : personOf(request.createdBy)}</bdi>, <Moment at={request.createdAt} />
      </div>
      <Standing request={request} />
      <div className={classes.columns}>
        <div className={classes.column}>
          <Actions {...shown} />
          <SegmentedControl
            aria-label="How the changes are shown"
            data={views}
            value={get("view") === "json" ? "json" : "sentences"}
            onChange={(view) => change({ view: view === "json" ? view : undefined })}
          />
          {get("view") === "json" ? (
            <Code block tabIndex={0} role="region" aria-label="The changes as JSON">
              {JSON.stringify({ features: request.features, segments: request.segments }, null, 2)}
            </Code>
          ) : (
            <Changes {...shown} type={type} />
          )}
        </div>
        <aside className={classes.column}>
          <Impact request={request} />
          <Approvals {...shown} />
          <Timeline {...shown} />
          <Proof request={request} />
        </aside>
      </div>
    </>
  );
}
