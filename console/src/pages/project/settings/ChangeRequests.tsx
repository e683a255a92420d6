import { Select, Stack, Switch, Text, Title } from "@mantine/core";
import { useGuards, useWhyNot } from "../../../api/queries";
import type { Guard } from "../../../api/guards";
import { request } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { confirm, unasked } from "../../../parts/confirm";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { counted } from "../../../words/counts";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";

const configuring = (projectId: string, environment: string, approvals: number | null) =>
  request("put", "/api/admin/projects/{projectId}/environments/{environment}/change-requests/config", {
    params: { path: { projectId, environment } },
    body:
      approvals === null
        ? { changeRequestsEnabled: false }
        : { changeRequestsEnabled: true, requiredApprovals: approvals },
  });

const usual = 1;
const choices = Array.from({ length: 10 }, (_, at) => at + 1);

/** In which environments of a project changes need approval, and how many approvals. */
export function ChangeRequests({ projectId }: Pick<OfProject, "projectId">) {
  const guards = useGuards(projectId);
  return (
    <section className={`card ${classes.narrow}`} aria-label="Change requests">
      <Stack gap="md">
        <Title order={2}>Change requests</Title>
        <Text size="sm">
          Where they are on, changes of flags take effect only once others approved them. Who may approve and apply them
          is a matter of roles: “Approve change requests” and “Apply change requests” in the environment.
        </Text>
        {guards.map((guard) => (
          <Environment key={guard.environment} projectId={projectId} guard={guard} />
        ))}
      </Stack>
    </section>
  );
}

function Environment({ projectId, guard }: { projectId: string; guard: Guard }) {
  const { environment, type, changeRequestEnabled, requiredApprovals } = guard;
  const { act, busy } = useAct();
  const stored = changeRequestEnabled ? (requiredApprovals ?? usual) : null;
  const whyNot = useWhyNot()(configuring(projectId, environment, usual));

  async function set(approvals: number | null) {
    if (whyNot) return;
    const planned = configuring(projectId, environment, approvals);
    const meant =
      approvals === null && isProduction(type)
        ? await confirm({
            title: `Switch change requests off in ${environment}`,
            action: "Switch them off",
            danger: true,
            reasoned: true,
            requests: [planned],
            consequence: (
              <>
                Changes in <EnvironmentName name={environment} type={type} /> take effect at once then, without
                approval. Scheduled ones are still applied; others can only be cancelled.
              </>
            ),
          })
        : unasked;
    if (!meant) return;
    await act({
      request: meant.because(planned),
      done:
        approvals === null
          ? `Changes in ${environment} need no approval.`
          : `Changes in ${environment} need ${counted(approvals, "approval")}.`,
      undo: configuring(projectId, environment, stored),
    });
  }

  return (
    <Stack gap={4} role="group" aria-label={environment}>
      <Switch
        label={<EnvironmentName name={environment} type={type} />}
        description={whyNot}
        aria-disabled={whyNot ? true : undefined}
        data-refused={whyNot ? true : undefined}
        disabled={busy}
        checked={changeRequestEnabled}
        onChange={(event) => void set(event.currentTarget.checked ? usual : null)}
      />
      {stored !== null && (
        <Select
          label={`Approvals needed in ${environment}`}
          w={260}
          allowDeselect={false}
          disabled={busy || whyNot !== undefined}
          data={[...new Set([...choices, stored])].sort((one, other) => one - other).map(String)}
          value={String(stored)}
          onChange={(value) => value && void set(Number(value))}
        />
      )}
    </Stack>
  );
}
