import { Group, List, Stack, Title } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { Moment } from "../../../parts/Moment";
import { Problem } from "../../../parts/Problem";
import type { Shown } from "../shown";
import classes from "../Feature.module.css";

/** The stages of a feature, and what ends its life. */
export function Life({ feature }: Shown) {
  const path = { projectId: feature.project, featureName: feature.name };
  const stages = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}/lifecycle", { params: { path } }),
  );
  const { act, busy, error } = useAct({ inline: true });
  const stale = (value: boolean) =>
    request("post", "/api/admin/projects/{projectId}/stale", {
      params: { path: { projectId: feature.project } },
      body: { features: [feature.name], stale: value },
    });
  const complete = (status: "kept" | "discarded") =>
    request("post", "/api/admin/projects/{projectId}/features/{featureName}/lifecycle/complete", {
      params: { path },
      body: { status },
    });
  const uncomplete = request("post", "/api/admin/projects/{projectId}/features/{featureName}/lifecycle/uncomplete", {
    params: { path },
  });
  const isCompleted = feature.lifecycle?.stage === "completed";

  return (
    <section className={`card ${classes.narrow}`} aria-label="Life">
      <Stack gap="md">
        <Title order={2}>Life</Title>
        <List size="sm" type="ordered">
          {(stages.data ?? []).map(({ stage, enteredStageAt, status }) => (
            <List.Item key={stage + enteredStageAt}>
              {stage}
              {status ? ` (${status})` : ""} since <Moment at={enteredStageAt} absolute />
            </List.Item>
          ))}
        </List>
        <Group gap="sm">
          <ActionButton
            variant="default"
            request={stale(!feature.stale)}
            loading={busy}
            onClick={() =>
              void act({
                request: stale(!feature.stale),
                done: `${feature.name} is ${feature.stale ? "no longer" : "marked as"} stale.`,
                undo: stale(feature.stale),
              })
            }
          >
            {feature.stale ? "Mark as not stale" : "Mark as stale"}
          </ActionButton>
          {isCompleted ? (
            <ActionButton
              variant="default"
              request={uncomplete}
              loading={busy}
              onClick={() => void act({ request: uncomplete, done: `${feature.name} is not completed.` })}
            >
              Not completed after all
            </ActionButton>
          ) : (
            (["kept", "discarded"] as const).map((status) => (
              <ActionButton
                key={status}
                variant="default"
                request={complete(status)}
                loading={busy}
                onClick={() =>
                  void act({
                    request: complete(status),
                    done: `${feature.name} is completed and ${status}.`,
                    undo: uncomplete,
                  })
                }
              >
                Completed: {status}
              </ActionButton>
            ))
          )}
        </Group>
        <Problem error={error ?? stages.error} />
      </Stack>
    </section>
  );
}
