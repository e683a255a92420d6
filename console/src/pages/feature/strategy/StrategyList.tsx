import { ActionIcon, Group } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useWhyNot } from "../../../api/queries";
import { onlyFor, request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm, unasked } from "../../../parts/confirm";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { audience } from "../../../parts/strategies/audience";
import { useSegmentNames } from "../../../parts/strategies/segments";
import { WeightBar } from "../../../parts/variants/WeightBar";
import type { Shown } from "../shown";
import { featureRequest, strategiesIn } from "../request";
import { CopyStrategy } from "./CopyStrategy";
import { ShareControl } from "./ShareControl";
import { WithMoments } from "../../../parts/Moment";
import classes from "../Feature.module.css";

interface Props extends Pick<Shown, "feature"> {
  environment: Schemas["FeatureEnvironmentDetails"];
  open: (strategyId: string) => void;
}

type Strategy = Schemas["FeatureStrategy"];

/** The strategies of an environment, one sentence each: any of them is enough. */
export function StrategyList({ feature, environment, open }: Props) {
  const segments = useSegmentNames();
  const { act, withOwnChanges, busy } = useAct();
  const whyNot = useWhyNot();
  const strategies = environment.strategies ?? [];
  const faults = new Map<string | undefined, string>(
    environment.strategyFaults?.map(({ strategyId, reason }) => [strategyId, reason]),
  );
  const path = { projectId: feature.project, featureName: feature.name, environment: environment.name };

  const ordered = (order: Strategy[]) =>
    request(
      "post",
      "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/set-sort-order",
      {
        params: { path },
        body: order.map(({ id = "" }, sortOrder) => ({ id, sortOrder })),
      },
    );
  const noOrder = whyNot(ordered(strategies));

  const again = (label: string, done: string) =>
    isProduction(environment.type)
      ? { label: `${label} in ${environment.name}`, done: `${done} in ${environment.name}.` }
      : undefined;

  /** Does something with a strategy, unless the person took it away a moment ago. */
  const withStrategy = (
    id: string | undefined,
    go: (at: number, all: Strategy[], version: string | undefined) => Promise<unknown>,
  ) =>
    void withOwnChanges(featureRequest(feature.project, feature.name), async (read) => {
      const all = strategiesIn(read.data, environment.name);
      const at = all.findIndex((one) => one.id === id);
      if (at >= 0) await go(at, all, read.version);
    });

  async function move(at: number, by: number, all: Strategy[], version: string | undefined) {
    const order = [...all];
    const [moved] = order.splice(at, 1);
    order.splice(at + by, 0, moved!);
    await act({
      request: onlyFor(ordered(order), version),
      done: "The order is changed.",
      undo: ordered(all),
      undoing: again("Restore the order", "The strategies have their order again"),
    });
  }

  const removal = (id: string) =>
    request(
      "delete",
      "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
      {
        params: { path: { ...path, strategyId: id } },
      },
    );

  async function remove(strategy: Strategy, version: string | undefined) {
    const planned = removal(strategy.id ?? "");
    const meant = isProduction(environment.type)
      ? await confirm({
          title: "Remove a strategy in production",
          action: "Remove strategy",
          danger: true,
          reasoned: true,
          requests: [onlyFor(planned, version)],
          consequence: (
            <>
              <strong>{feature.name}</strong> will no longer be on in <EnvironmentName {...environment} /> for:{" "}
              <WithMoments text={audience(strategy, segments)} />.
            </>
          ),
        })
      : unasked;
    if (!meant) return;
    const { name, title, disabled, sortOrder, constraints, variants, parameters, segments: used } = strategy;
    await act({
      request: meant.because(onlyFor(planned, version)),
      done: "The strategy is removed.",
      undoing: again("Add it again", "The strategy is there again"),
      undo: request(
        "post",
        "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies",
        {
          params: { path },
          body: { name, title, disabled, sortOrder, constraints, variants, parameters, segments: used },
        },
      ),
    });
  }

  if (strategies.length === 0) return <span className="muted">For nobody: there is no strategy.</span>;
  return (
    <ul className={classes.strategies} aria-label={`Strategies in ${environment.name}`}>
      {strategies.map((strategy, at) => (
        <li key={strategy.id} className={classes.strategy} data-disabled={strategy.disabled || undefined}>
          {at > 0 && <div className={`muted ${classes.or}`}>or</div>}
          {strategy.title && (
            <strong className="breaks">
              <bdi>{strategy.title}</bdi>
            </strong>
          )}
          <div className={`breaks ${classes.sentence}`}>
            <bdi>
              <WithMoments text={audience({ ...strategy, variants: [] }, segments)} />
            </bdi>
          </div>
          {strategy.variants?.length ? <WeightBar variants={strategy.variants} /> : null}
          {strategy.name === "flexibleRollout" && (
            <ShareControl feature={feature} environment={environment} strategy={strategy} />
          )}
          {strategy.disabled && <span className="muted">disabled</span>}
          {faults.has(strategy.id) && (
            <div role="note" className="breaks danger">
              <strong>On for nobody:</strong> <bdi>{faults.get(strategy.id)}</bdi>. Edit the strategy, or remove it.
            </div>
          )}
          <Group gap={4} mt={4}>
            <ActionButton
              variant="default"
              size="compact-xs"
              request={editing(path, strategy)}
              onClick={() => open(strategy.id ?? "")}
            >
              Edit
            </ActionButton>
            <ActionButton
              variant="default"
              size="compact-xs"
              request={removal(strategy.id ?? "")}
              loading={busy}
              onClick={() => withStrategy(strategy.id, (found, all, version) => remove(all[found]!, version))}
            >
              Remove
            </ActionButton>
            {feature.environments.length > 1 && (
              <CopyStrategy feature={feature} environment={environment} strategy={strategy} />
            )}
            {strategies.length > 1 && !noOrder && (
              <>
                <ActionIcon
                  variant="default"
                  size={24}
                  aria-label="Move up"
                  disabled={at === 0 || busy}
                  onClick={() => withStrategy(strategy.id, (found, all, version) => move(found, -1, all, version))}
                >
                  <IconArrowUp size={14} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  size={24}
                  aria-label="Move down"
                  disabled={at === strategies.length - 1 || busy}
                  onClick={() => withStrategy(strategy.id, (found, all, version) => move(found, 1, all, version))}
                >
                  <IconArrowDown size={14} aria-hidden />
                </ActionIcon>
              </>
            )}
          </Group>
        </li>
      ))}
    </ul>
  );
}

const editing = (path: { projectId: string; featureName: string; environment: string }, { id = "", name }: Strategy) =>
  request(
    "put",
    "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
    {
      params: { path: { ...path, strategyId: id } },
      body: { name },
    },
  );
