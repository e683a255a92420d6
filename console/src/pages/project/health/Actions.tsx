import { Button, Group, Menu } from "@mantine/core";
import { useFeatureTypes, useWhyNot } from "../../../api/queries";
import { request, type Planned } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { planned as archiving, reversed } from "../../../parts/bulk/bulk";
import { confirm, unasked } from "../../../parts/confirm";
import { isProduction } from "../../../parts/EnvironmentName";
import type { Owed, Reason } from "./debt";

interface Props {
  projectId: string;
  feature: Owed["feature"];
  reason: Reason;
}

/** The one button that removes a reason, and the way to keep the feature. */
export function Actions({ projectId, feature, reason }: Props) {
  const types = useFeatureTypes();
  const whyNot = useWhyNot();
  const { act, busy } = useAct();
  const { name } = feature;
  const path = { projectId, featureName: name };
  const itself = [{ project: projectId, name }];
  const stale = (value: boolean) =>
    request("post", "/api/admin/projects/{projectId}/stale", {
      params: { path: { projectId } },
      body: { features: [name], stale: value },
    });
  const typed = (type: string) =>
    request("patch", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path },
      body: [{ op: "replace", path: "/type", value: type }],
    });
  const complete = request("post", "/api/admin/projects/{projectId}/features/{featureName}/lifecycle/complete", {
    params: { path },
    body: { status: "kept" },
  });
  const uncomplete = request("post", "/api/admin/projects/{projectId}/features/{featureName}/lifecycle/uncomplete", {
    params: { path },
  });
  const archive = archiving({ kind: "archive" }, itself, false)[0]!;
  const live = (feature.environments ?? []).filter(({ enabled, type }) => enabled && isProduction(type));

  async function remove() {
    if (reason.remedy === "complete") {
      await act({ request: complete, done: `${name} is completed and kept.`, undo: uncomplete });
      return;
    }
    const meant = live.length
      ? await confirm({
          title: `Archive ${name}`,
          action: "Archive it",
          danger: true,
          reasoned: true,
          requests: [archive],
          consequence: (
            <>
              <strong>It is on in ▲ {live.map((one) => one.name).join(", ")} now.</strong> Applications will no longer
              know <bdi>{name}</bdi>: for them it is off. It can be revived; it is then off everywhere.
            </>
          ),
        })
      : unasked;
    if (meant)
      await act({
        request: meant.because(archive),
        done: `${name} is archived.`,
        undo: reversed({ kind: "archive" }, itself)[0],
      });
  }

  const ways: { label: string; request: Planned; undo?: Planned }[] =
    reason.kind === "stale"
      ? [{ label: "Not stale after all", request: stale(false), undo: stale(true) }]
      : reason.kind === "completed"
        ? [{ label: "Not completed after all", request: uncomplete, undo: complete }]
        : types
            .filter(({ lifetimeDays }) => lifetimeDays == null)
            .map((type) => ({
              label: `It is meant to stay: ${type.name}`,
              request: typed(type.id),
              undo: feature.type ? typed(feature.type) : undefined,
            }));

  return (
    <Group gap="xs" wrap="nowrap">
      <ActionButton
        size="compact-xs"
        variant="default"
        request={reason.remedy === "complete" ? complete : archive}
        loading={busy}
        because={feature.children?.length ? `Other flags depend on it: ${feature.children.join(", ")}.` : undefined}
        onClick={() => void remove()}
      >
        {reason.remedy === "complete" ? "Complete" : "Archive"}
      </ActionButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="compact-xs" variant="default" aria-label={`Keep ${name}`}>
            Keep …
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ways.map(({ label, request: way, undo }) => {
            const refusal = whyNot(way);
            return (
              <Menu.Item
                key={label}
                aria-disabled={refusal ? true : undefined}
                closeMenuOnClick={!refusal}
                onClick={refusal ? undefined : () => void act({ request: way, done: `${name} is kept.`, undo })}
              >
                {label}
                {refusal && <div className="muted">{refusal}</div>}
              </Menu.Item>
            );
          })}
          {ways.length === 0 && <Menu.Item aria-disabled>No type is meant to stay.</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
