import { Group, SegmentedControl, TextInput, Title } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { first } from "../../api/address";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { useKeys } from "../../parts/keys";
import { Moment } from "../../parts/Moment";
import { Rows } from "../../parts/Rows";
import { useTitle } from "../../parts/title";
import { NewProject, example } from "./NewProject";
import classes from "./Projects.module.css";
import { MarkdownLine } from "../../parts/markdown/Markdown";
import { Unread } from "../../parts/Unread";

type Project = Schemas["Project"];

/** All projects that one may see, or the archived ones. */
export default function ProjectsPage() {
  useTitle("Projects");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const isArchive = first(search.archived) === "true";
  const words = (first(search.query) ?? "").toLowerCase();
  const read = useRead(
    request("get", "/api/admin/projects", { params: { query: isArchive ? { archived: "true" } : {} } }),
  );
  const input = useRef<HTMLInputElement>(null);
  const change = (changed: Record<string, string | undefined>) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
    });
  useKeys({
    "/": { does: "Search", run: () => input.current?.focus() },
    n: { does: "New project", run: () => change({ new: "true" }) },
  });
  const projects = (read.data?.projects ?? [])
    .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(words))
    .sort((one, other) => Number(other.favorite) - Number(one.favorite) || one.name.localeCompare(other.name));

  return (
    <div className={classes.page}>
      <Group justify="space-between" gap="sm">
        <Title order={1}>Projects</Title>
        <Group gap="md">
          <Link to="/import">Import flags</Link>
          <Link to="/export">Export flags</Link>
          <ActionButton request={example} onClick={() => change({ new: "true" })}>
            New project
          </ActionButton>
        </Group>
      </Group>
      <Group gap="sm" role="search" aria-label="Projects">
        <TextInput
          ref={input}
          type="search"
          size="xs"
          w={260}
          aria-label="Part of the name"
          placeholder="Part of the name ( / )"
          value={first(search.query) ?? ""}
          onChange={(event) => change({ query: event.currentTarget.value || undefined })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Which projects"
          data={[
            { value: "false", label: "In use" },
            { value: "true", label: "Archived" },
          ]}
          value={String(isArchive)}
          onChange={(archived) => change({ archived: archived === "true" ? archived : undefined })}
        />
      </Group>
      {!read.data ? (
        <Unread read={read} />
      ) : projects.length === 0 ? (
        <div className="card">
          {words
            ? `No project is called anything with “${words}”.`
            : isArchive
              ? "No project is archived."
              : "There is no project that you may see."}
        </div>
      ) : (
        <Rows
          label="Projects"
          asCards
          count={projects.length}
          columns={isArchive ? 3 : 6}
          dimmed={read.isPlaceholderData}
          keyOf={(index) => projects[index]!.id}
          head={isArchive ? <ArchivedHead /> : <Head />}
          row={(index) => (isArchive ? <Archived project={projects[index]!} /> : <Used project={projects[index]!} />)}
        />
      )}
      {search.new !== undefined && <NewProject onClose={() => change({ new: undefined })} />}
    </div>
  );
}

const Head = () => (
  <>
    <th>Name</th>
    <th>Feature flags</th>
    <th>Health</th>
    <th className={classes.wide}>Members</th>
    <th className={classes.wide}>Changed</th>
    <th>
      <span className="visually-hidden">Favourite</span>
    </th>
  </>
);

function Used({ project }: { project: Project }) {
  const { id, name, description, health, featureCount, memberCount, lastUpdatedAt, mode, favorite } = project;
  const { act, busy } = useAct();
  const params = { path: { projectId: id } };
  const mark = favorite
    ? request("delete", "/api/admin/projects/{projectId}/favorites", { params })
    : request("post", "/api/admin/projects/{projectId}/favorites", { params });
  return (
    <>
      <td className={classes.name}>
        <Link to="/projects/$projectId/features" params={{ projectId: id }} className="breaks">
          <bdi>{name}</bdi>
        </Link>
        {mode === "private" && <span className="chip">private</span>}
        {description && (
          <div className={`muted breaks ${classes.description}`}>
            <bdi>
              <MarkdownLine text={description} />
            </bdi>
          </div>
        )}
      </td>
      <td className="figures" data-label="Feature flags">
        {featureCount}
      </td>
      <td className="figures" data-label="Health">
        <meter min={0} max={100} low={60} high={80} optimum={100} value={health} aria-label={`Health of ${name}`} />{" "}
        {health} %
      </td>
      <td className={`figures ${classes.wide}`} data-label="Members">
        {memberCount}
      </td>
      <td className={classes.wide} data-label="Changed">
        <Moment at={lastUpdatedAt} />
      </td>
      <td>
        <ActionButton
          variant="default"
          size="compact-xs"
          request={mark}
          loading={busy}
          onClick={() => void act({ request: mark })}
        >
          {favorite ? "★ Favourite" : "☆ Add to favourites"}
        </ActionButton>
      </td>
    </>
  );
}

const ArchivedHead = () => (
  <>
    <th>Name</th>
    <th>Archived</th>
    <th>
      <span className="visually-hidden">Revive</span>
    </th>
  </>
);

function Archived({ project: { id, name, archivedAt } }: { project: Project }) {
  const { act, busy } = useAct();
  const params = { path: { projectId: id } };
  const revive = request("post", "/api/admin/projects/revive/{projectId}", { params });
  return (
    <>
      <td className={`breaks ${classes.name}`}>
        <bdi>{name}</bdi>
      </td>
      <td data-label="Archived">
        <Moment at={archivedAt} absolute />
      </td>
      <td>
        <ActionButton
          variant="default"
          size="compact-xs"
          request={revive}
          loading={busy}
          onClick={() =>
            void act({
              request: revive,
              done: `${name} is in use again.`,
              undo: request("post", "/api/admin/projects/archive/{projectId}", { params }),
            })
          }
        >
          Revive
        </ActionButton>
      </td>
    </>
  );
}
