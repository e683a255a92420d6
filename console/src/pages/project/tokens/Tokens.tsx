import { Group } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEnvironments, useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import areaClasses from "../../../parts/area/Area.module.css";
import { confirm } from "../../../parts/confirm";
import { EnvironmentName } from "../../../parts/EnvironmentName";
import { useKeys } from "../../../parts/keys";
import { Moment } from "../../../parts/Moment";
import { Rows } from "../../../parts/Rows";
import { Unread } from "../../../parts/Unread";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";
import { kinds } from "../../tokens/tokens";
import { NewToken, creating } from "./NewToken";

type Token = Schemas["ApiToken"];

/** The tokens by which programs read a project, those that nobody used for the longest first. */
export default function Tokens({ projectId, project }: OfProject) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const read = useRead(
    request("get", "/api/admin/projects/{projectId}/api-tokens", { params: { path: { projectId } } }),
  );
  const show = (value: string | undefined) => void navigate({ to: ".", search: { new: value } });
  useKeys({ n: { does: "New token", run: () => show("true") } });
  if (!read.data) return <Unread read={read} />;
  const tokens = [...read.data.tokens].sort((one, other) => (one.seenAt ?? "").localeCompare(other.seenAt ?? ""));
  return (
    <>
      <Group justify="space-between" gap="sm">
        <span className="muted">
          Tokens for this project. Those for all projects reach it as well.{" "}
          <Link to="/setup" search={{ project: projectId }}>
            Connect an application
          </Link>
        </span>
        <ActionButton request={creating(projectId)} onClick={() => show("true")}>
          New token
        </ActionButton>
      </Group>
      {tokens.length === 0 ? (
        <div className="card">No token is for this project. An application needs one to ask for its flags.</div>
      ) : (
        <div className={classes.list}>
          <Rows
            label="API tokens"
            asCards
            count={tokens.length}
            columns={6}
            keyOf={(index) => tokens[index]!.secret + tokens[index]!.createdAt}
            head={
              <>
                <th>Name</th>
                <th>Type</th>
                <th>Environment</th>
                <th>Last seen</th>
                <th>Expires</th>
                <th>
                  <span className="visually-hidden">Delete</span>
                </th>
              </>
            }
            row={(index) => <Row projectId={projectId} token={tokens[index]!} />}
          />
        </div>
      )}
      {search.new !== undefined && (
        <NewToken
          projectId={projectId}
          environments={project.environments.map(({ environment }) => environment)}
          onClose={() => show(undefined)}
        />
      )}
    </>
  );
}

function Row({ projectId, token }: { projectId: string; token: Token }) {
  const { act, busy } = useAct();
  const environments = useEnvironments();
  const { tokenName, type, environment, projects, seenAt, expiresAt, secret } = token;
  const remove = request("delete", "/api/admin/projects/{projectId}/api-tokens/{token}", {
    params: { path: { projectId, token: secret } },
  });

  async function removeIt() {
    const isSure = await confirm({
      title: `Delete ${tokenName}`,
      action: "Delete it",
      danger: true,
      requests: [remove],
      consequence: (
        <>
          Applications that use it are refused from their next request on, and keep what they know until they restart.
          It was last used <Moment at={seenAt} />.
          {projects.length > 1 && (
            <>
              {" "}
              It also reaches <bdi>{projects.filter((one) => one !== projectId).join(", ")}</bdi>.
            </>
          )}
        </>
      ),
    });
    if (isSure) await act({ request: remove, done: `${tokenName} lets nobody in any more.` });
  }

  return (
    <>
      <td className={`breaks ${classes.name}`}>
        <bdi>{tokenName}</bdi>
        {projects.length > 1 && (
          <div className="muted breaks">also {projects.filter((one) => one !== projectId).join(", ")}</div>
        )}
      </td>
      <td data-label="Type">{kinds[type].label}</td>
      <td data-label="Environment">
        <div className={areaClasses.room}>
          <EnvironmentName name={environment} type={environments.find(({ name }) => name === environment)?.type} />
        </div>
      </td>
      <td data-label="Last seen">
        <Moment at={seenAt} />
      </td>
      <td data-label="Expires">
        <Moment at={expiresAt} />
      </td>
      <td>
        <ActionButton
          size="compact-xs"
          variant="outline"
          color="red"
          request={remove}
          loading={busy}
          onClick={() => void removeIt()}
        >
          Delete …
        </ActionButton>
      </td>
    </>
  );
}
