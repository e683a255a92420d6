import { Button, Menu } from "@mantine/core";
import { useWhyNot } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { audience } from "../../../parts/strategies/audience";
import { useSegmentNames } from "../../../parts/strategies/segments";
import type { Shown } from "../shown";
import { draftOf } from "./draft";
import { WithMoments } from "../../../parts/Moment";

type Environment = Schemas["FeatureEnvironmentDetails"];

interface Props extends Pick<Shown, "feature"> {
  /** Where the strategy is. */
  environment: Environment;
  strategy: Schemas["FeatureStrategy"];
}

const strategies = "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies";
const one = `${strategies}/{strategyId}` as const;

/** Adds a strategy to another environment as well, after showing for whom the flag will be on there. */
export function CopyStrategy({ feature, environment, strategy }: Props) {
  const { act, busy } = useAct();
  const whyNot = useWhyNot();
  const segments = useSegmentNames();
  const others = feature.environments.filter(({ name }) => name !== environment.name);
  const pathTo = (name: string) => ({ projectId: feature.project, featureName: feature.name, environment: name });
  const plan = (to: Environment) =>
    request("post", strategies, { params: { path: pathTo(to.name) }, body: draftOf(strategy, feature.name) });

  async function copy(to: Environment) {
    const planned = plan(to);
    const there = to.strategies ?? [];
    const meant = await confirm({
      title: `Copy the strategy to ${to.name}`,
      action: `Copy to ${to.name}`,
      reasoned: isProduction(to.type),
      requests: [planned],
      consequence: (
        <>
          <strong>
            <bdi>{feature.name}</bdi>
          </strong>{" "}
          in <EnvironmentName name={to.name} type={to.type} />
          {to.enabled ? "" : " (which is off there)"} will be on for:
          <ul>
            {there.map((kept) => (
              <li key={kept.id}>
                <WithMoments text={audience(kept, segments)} />
                {kept.disabled ? ", disabled" : ""}
              </li>
            ))}
            <li>
              <ins>
                <WithMoments text={audience(strategy, segments)} />
              </ins>
              {strategy.disabled ? ", disabled" : ""}
            </li>
          </ul>
        </>
      ),
    });
    if (!meant) return;
    await act({
      request: meant.because(planned),
      done: `The strategy is in ${to.name}, too.`,
      undo: ({ id: strategyId = "" }) =>
        request("delete", one, { params: { path: { ...pathTo(to.name), strategyId } } }),
      undoing: isProduction(to.type)
        ? {
            label: `Remove it from ${to.name} again`,
            done: `The strategy is no longer in ${to.name}.`,
          }
        : undefined,
    });
  }

  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" size="compact-xs" loading={busy}>
          Copy to …
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {others.map((to) => {
          const refusal = whyNot(plan(to));
          return (
            <Menu.Item
              key={to.name}
              aria-disabled={refusal ? true : undefined}
              closeMenuOnClick={!refusal}
              onClick={refusal ? undefined : () => void copy(to)}
            >
              <EnvironmentName name={to.name} type={to.type} />
              {refusal && <div className="muted">{refusal}</div>}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
