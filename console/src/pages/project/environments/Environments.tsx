import { Table } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { useEnvironments, useRead } from "../../../api/queries";
import { onlyFor, request, type Planned, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { overviewRequest } from "../../../parts/project/overview";
import { audience } from "../../../parts/strategies/audience";
import type { OfProject } from "../shown";
import { DefaultStrategy } from "./DefaultStrategy";
import { defaultOf, saving } from "./plans";
import { WithMoments } from "../../../parts/Moment";
import { Unread } from "../../../parts/Unread";

type Environment = Schemas["EnvironmentsOfProject"]["environments"][number];

const heads = {
  on: "Flags on",
  tokens: "API tokens",
  begins: "Default strategy",
};

/** Which environments a project uses, and what its features get there to begin with. */
export default function Environments({ projectId, project, version }: OfProject) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const all = useEnvironments();
  const read = useRead(
    request("get", "/api/admin/environments/project/{projectId}", { params: { path: { projectId } } }),
  );
  if (!read.data) return <Unread read={read} />;
  const used = new Set(project.environments.map(({ environment }) => environment));
  const edited = read.data.environments.find(({ name }) => name === first(search.env) && used.has(name));
  const edit = (env: string | undefined) => void navigate({ to: ".", search: { env } });
  const inUse = new Set(all.filter(({ enabled }) => enabled).map(({ name }) => name));
  const shown = read.data.environments.filter(({ name }) => inUse.has(name) || used.has(name));
  return (
    <>
      <div className="card scrolls" tabIndex={0} role="region" aria-label="Environments">
        <Table className="cards">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Environment</Table.Th>
              <Table.Th>{heads.on}</Table.Th>
              <Table.Th>{heads.tokens}</Table.Th>
              <Table.Th>{heads.begins}</Table.Th>
              <Table.Th>
                <span className="visually-hidden">Use</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((environment) => (
              <Row
                key={environment.name}
                projectId={projectId}
                environment={environment}
                isUsed={used.has(environment.name)}
                edit={edit}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {edited && (
        <DefaultStrategy
          key={edited.name}
          projectId={projectId}
          version={version}
          environment={edited}
          onClose={() => edit(undefined)}
        />
      )}
    </>
  );
}

interface RowProps {
  projectId: string;
  environment: Environment;
  isUsed: boolean;
  edit: (env: string) => void;
}

function Row({ projectId, environment, isUsed, edit }: RowProps) {
  const { act, withOwnChanges, busy } = useAct();
  const { name, type, projectEnabledToggleCount, projectApiTokenCount, defaultStrategy } = environment;
  const add = request("post", "/api/admin/projects/{projectId}/environments", {
    params: { path: { projectId } },
    body: { environment: name },
  });
  const remove = request("delete", "/api/admin/projects/{projectId}/environments/{environment}", {
    params: { path: { projectId, environment: name } },
  });
  /** Makes a call for what the page shows of the project. */
  const over = (planned: Planned, go: (guarded: Planned) => Promise<unknown>) =>
    void withOwnChanges(overviewRequest(projectId), ({ version }) => go(onlyFor(planned, version)));

  async function takeAway(guarded: Planned) {
    const meant = await confirm({
      title: `Take ${name} from the project`,
      action: "Take it away",
      danger: true,
      typed: name,
      reasoned: isProduction(type),
      requests: [guarded],
      consequence: (
        <>
          What the flags of <bdi>{projectId}</bdi> have in <EnvironmentName name={name} type={type} /> is gone:
          switches, strategies and variants. {projectEnabledToggleCount} flags are on there now. Applications with a
          token for it get none of them any more.
        </>
      ),
    });
    if (meant) await act({ request: meant.because(guarded), done: `${projectId} no longer uses ${name}.` });
  }

  return (
    <Table.Tr className={isProduction(type) ? "production" : undefined}>
      <Table.Td>
        <EnvironmentName name={name} type={type} />
        <div className="muted">{type}</div>
      </Table.Td>
      <Table.Td className="figures" data-label={heads.on}>
        {isUsed ? projectEnabledToggleCount : "–"}
      </Table.Td>
      <Table.Td className="figures" data-label={heads.tokens}>
        {isUsed ? projectApiTokenCount : "–"}
      </Table.Td>
      <Table.Td className="breaks" data-label={heads.begins}>
        {isUsed && (
          <div>
            <WithMoments text={audience(defaultOf(defaultStrategy))} />{" "}
            <ActionButton
              size="compact-xs"
              variant="default"
              request={saving(projectId, name, defaultOf(defaultStrategy))}
              onClick={() => edit(name)}
            >
              Change
            </ActionButton>
          </div>
        )}
      </Table.Td>
      <Table.Td>
        {isUsed ? (
          <ActionButton
            size="compact-xs"
            variant="outline"
            color="red"
            request={remove}
            loading={busy}
            onClick={() => over(remove, takeAway)}
          >
            Take away …
          </ActionButton>
        ) : (
          <ActionButton
            size="compact-xs"
            variant="default"
            request={add}
            loading={busy}
            onClick={() =>
              over(add, (guarded) =>
                act({ request: guarded, done: `${projectId} uses ${name}. Its flags are off there.` }),
              )
            }
          >
            Use it
          </ActionButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
