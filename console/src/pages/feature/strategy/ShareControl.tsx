import { Group } from "@mantine/core";
import { onlyFor, request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm, unasked } from "../../../parts/confirm";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { audience } from "../../../parts/strategies/audience";
import { useSegmentNames } from "../../../parts/strategies/segments";
import type { Shown } from "../shown";
import { featureRequest, strategiesIn } from "../request";
import { draftOf } from "./draft";
import { WithMoments } from "../../../parts/Moment";

interface Props extends Pick<Shown, "feature"> {
  environment: Schemas["FeatureEnvironmentDetails"];
  strategy: Strategy;
}

const steps = [10, 25, 50, 100];

type Strategy = Schemas["FeatureStrategy"];
const shareOf = ({ parameters }: Strategy) => Number(parameters?.rollout ?? 0);

/** The share of users of a gradual rollout, a click for each usual step: in production after saying what will be so. */
export function ShareControl({ feature, environment, strategy }: Props) {
  const { act, withOwnChanges, busy } = useAct();
  const segments = useSegmentNames();
  const now = shareOf(strategy);
  const path = {
    projectId: feature.project,
    featureName: feature.name,
    environment: environment.name,
    strategyId: strategy.id ?? "",
  };
  const withShare = (one: Strategy, share: number) => {
    const draft = draftOf(one, feature.name);
    return { ...draft, parameters: { ...draft.parameters, rollout: String(share) } };
  };
  const plan = (one: Strategy, share: number) =>
    request(
      "put",
      "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
      { params: { path }, body: withShare(one, share) },
    );

  async function set(current: Strategy, share: number, version: string | undefined) {
    const planned = onlyFor(plan(current, share), version);
    const before = shareOf(current);
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
                <del>
                  <WithMoments text={audience(current, segments)} />
                </del>
              </p>
              <p>
                <ins>
                  <WithMoments text={audience(withShare(current, share), segments)} />
                </ins>
              </p>
            </>
          ),
        })
      : unasked;
    if (!meant) return;
    await act({
      request: meant.because(planned),
      done: `${feature.name} in ${environment.name}: ${share} % of users.`,
      undo: plan(current, before),
      undoing: isLive
        ? {
            label: `Back to ${before} % in ${environment.name}`,
            done: `${feature.name} in ${environment.name}: ${before} % of users again.`,
          }
        : undefined,
    });
  }

  const choose = (share: number) =>
    void withOwnChanges(featureRequest(feature.project, feature.name), async ({ data, version }) => {
      const current = strategiesIn(data, environment.name).find(({ id }) => id === strategy.id);
      if (current) await set(current, share, version);
    });

  return (
    <Group gap={4} mt={4} role="group" aria-label={`Share of users, ${now} % now`}>
      {steps.map((share) => (
        <ActionButton
          key={share}
          variant={share === now ? "light" : "default"}
          size="compact-xs"
          request={plan(strategy, share)}
          loading={busy}
          because={share === now ? `It is ${share} % now.` : undefined}
          onClick={() => choose(share)}
        >
          {`${share} %`}
        </ActionButton>
      ))}
    </Group>
  );
}
