import { Stack, Text, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { isProduction } from "../../../parts/EnvironmentName";
import { Problem } from "../../../parts/Problem";
import type { Shown } from "../shown";
import classes from "../Feature.module.css";

/** Archives a feature: programs no longer know it. */
export function Archive({ feature }: Shown) {
  const navigate = useNavigate();
  const { act, busy, error } = useAct({ inline: true });
  const path = { projectId: feature.project, featureName: feature.name };
  const planned = request("delete", "/api/admin/projects/{projectId}/features/{featureName}", { params: { path } });
  const live = feature.environments.filter(({ enabled, type }) => enabled && isProduction(type));

  async function archive() {
    const meant = await confirm({
      title: `Archive ${feature.name}`,
      action: "Archive it",
      danger: true,
      reasoned: live.length > 0,
      requests: [planned],
      consequence: (
        <>
          Applications will no longer know <strong>{feature.name}</strong>: for them it is off.{" "}
          {live.length > 0 && <strong>It is on in ▲ {live.map(({ name }) => name).join(", ")} now. </strong>}
          It can be revived; it is then off everywhere.
        </>
      ),
    });
    if (!meant) return;
    const done = await act({
      request: meant.because(planned),
      done: `${feature.name} is archived.`,
      undo: request("post", "/api/admin/projects/{projectId}/revive", {
        params: { path: { projectId: feature.project } },
        body: { features: [feature.name] },
      }),
    });
    if (done) void navigate({ to: "/features" });
  }

  return (
    <section className={`card ${classes.narrow}`} aria-label="Archive">
      <Stack gap="md" align="start">
        <Title order={2}>Archive</Title>
        <Text size="sm">Once no application asks for it any more.</Text>
        <Problem error={error} />
        <ActionButton
          request={planned}
          color="red"
          variant="outline"
          loading={busy}
          because={feature.children.length ? `Other flags depend on it: ${feature.children.join(", ")}.` : undefined}
          onClick={() => void archive()}
        >
          Archive …
        </ActionButton>
      </Stack>
    </section>
  );
}
