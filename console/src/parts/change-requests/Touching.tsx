import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { useExactRead, useGuards } from "../../api/queries";
import { personOf, touchingRequest } from "./requests";
import { StateChip } from "./StateChip";

/** On the page of a flag: the change requests that would change it. */
export function Touching({ project, name }: { project: string; name: string }) {
  const isGuarded = useGuards(project).some(({ changeRequestEnabled }) => changeRequestEnabled);
  const found = useExactRead(touchingRequest(project, name), { enabled: isGuarded }).data ?? [];
  if (found.length === 0) return null;
  return (
    <p className="breaks">
      To be changed by{" "}
      {found.map(({ id, title, environment, state, schedule, createdBy }, at) => (
        <Fragment key={id}>
          {at > 0 && ", "}
          <Link to="/projects/$projectId/change-requests/$id" params={{ projectId: project, id: String(id) }}>
            #{id} <bdi>{title}</bdi>
          </Link>{" "}
          of <bdi>{personOf(createdBy)}</bdi> in <bdi>{environment}</bdi>{" "}
          <StateChip state={state} schedule={schedule} />
        </Fragment>
      ))}
    </p>
  );
}
