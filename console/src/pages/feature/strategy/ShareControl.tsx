import { Group } from "@mantine/core";
import { onlyFor, request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm, unasked } from "../../../parts/confirm";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { audience } from "../../../parts/strategies/audience";
import { useSegmentNames } from "../../../parts/strategies/segments";
import type { Shown } from "../FeaturePage";
import { draftOf } from "./draft";

interface Props extends Shown {
  environment: Schemas["FeatureEnvironmentDetails"];
  strategy: Schemas["FeatureStrategy"];
}

const steps = [10, 25, 50, 100];

/** The share of users of a gradual rollout, a click for each usual step: in production after saying what will be so. */
export function ShareControl({ feature, version, environment, strategy }: Props) {
  const { act, busy } = useAct();
  const segments = useSegmentNames();
  const now = Number(strategy.parameters?.rollout ?? 0);
  const path = {
    projectId: feature.project,
    featureName: feature.name,
    environment: environment.name,
    strategyId: strategy.id ?? "",
  };
  const withShare = (share: number) => {
    const draft = draftOf(strategy, feature.name);
    return { ...draft, parameters: { ...draft.parameters, rollout: String(share) } };
  };
  const plan = (share: number) =>
    request(
      "put",
      "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
      { params: { path }, body: withShare(share) },
    );

  async function set(share: number) {
    const planned = onlyFor(plan(share), version);
    const isLive = isProduction(environment.type);
    const meant = isLive
      ? await confirm({
          title: `Change the share in production to ${share} %`,
          action: `Change to ${share} %`,
          reasoned: true,
          requests: [planned],
          consequence: (
            <>
              <strong>{feature.name}</strong> in <EnvironmentName name={environment.name} type={environment.type} />
              {environment.enabled ? "" : " (which is off there)"}
              <p>
                <del>{audience(strategy, segments)}</del>
              </p>
              <p>
                <ins>{audience(withShare(share), segments)}</ins>
              </p>
            </>
          ),
        })
      : unasked;
    if (!meant) return;
    await act({
      request: meant.because(planned),
      done: `${feature.name} in ${environment.name}: ${share} % of users.`,
      undo: plan(now),
      undoing: isLive
        ? {
            label: `Back to ${now} % in ${environment.name}`,
            done: `${feature.name} in ${environment.name}: ${now} % of users again.`,
          }
        : undefined,
    });
  }

  return (
    <Group gap={4} mt={4} role="group" aria-label={`Share of users, ${now} % now`}>
      {steps.map((share) => (
        <ActionButton
          key={share}
          variant={share === now ? "light" : "default"}
          size="compact-xs"
          request={plan(share)}
          loading={busy}
          because={share === now ? `It is ${share} % now.` : undefined}
          onClick={() => void set(share)}
        >
          {`${share} %`}
        </ActionButton>
      ))}
    </Group>
  );
}
