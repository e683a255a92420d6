import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEnvironments } from "../../api/queries";
import { Listing, type Column } from "../area/Listing";
import { EnvironmentName } from "../EnvironmentName";
import { Moment } from "../Moment";
import { personOf, type ListedChangeRequest } from "./requests";
import { StateChip } from "./StateChip";

type Row = Pick<
  ListedChangeRequest,
  "id" | "project" | "title" | "state" | "schedule" | "environment" | "createdBy" | "createdAt"
>;

interface Props<R extends Row> {
  read: Parameters<typeof Listing>[0]["read"];
  items: readonly R[];
  /** What it changes, in a line. */
  touchedBy: (request: R) => string;
  /** Whether each row names its project. */
  namesProject?: boolean;
  empty: ReactNode;
}

const to = "/projects/$projectId/change-requests/$id";
const paramsOf = ({ project, id }: Row) => ({ projectId: project, id: String(id) });

/** Change requests in a table, each of which leads to its page. */
export function ChangeRequestList<R extends Row>({ read, items, touchedBy, namesProject = false, empty }: Props<R>) {
  const navigate = useNavigate();
  const environments = useEnvironments();
  const columns: Column<R>[] = [
    {
      head: "Title",
      cell: (request) => (
        <>
          <Link className="breaks" to={to} params={paramsOf(request)}>
            <bdi>{request.title}</bdi>
          </Link>{" "}
          <span className="muted figures">#{request.id}</span>
        </>
      ),
    },
    { head: "State", cell: ({ state, schedule }) => <StateChip state={state} schedule={schedule} /> },
    {
      head: "In",
      cell: ({ environment, project }) => (
        <span className="breaks">
          <EnvironmentName name={environment} type={environments.find(({ name }) => name === environment)?.type} />
          {namesProject && (
            <>
              {" "}
              of <bdi>{project}</bdi>
            </>
          )}
        </span>
      ),
    },
    {
      head: "Changes",
      cell: (request) => (
        <span className="breaks">
          <bdi>{touchedBy(request)}</bdi>
        </span>
      ),
    },
    {
      head: "By",
      wide: true,
      cell: ({ createdBy }) => (
        <span className="breaks">
          <bdi>{personOf(createdBy)}</bdi>
        </span>
      ),
    },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
  return (
    <Listing
      label="Change requests"
      read={read}
      items={items}
      keyOf={({ id }) => String(id)}
      columns={columns}
      open={(request) => void navigate({ to, params: paramsOf(request) })}
      empty={empty}
    />
  );
}
