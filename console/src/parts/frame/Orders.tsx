import { Spotlight } from "@mantine/spotlight";
import { IconToggleLeft, IconToggleRight } from "@tabler/icons-react";
import { useRefusal } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { isProduction } from "../EnvironmentName";
import { planSwitch, useSwitching, type Switched } from "../switches/useSwitching";
import type { Order } from "./order";

interface Props {
  order: Order;
  /** Flags whose name contains what the order names. */
  flags: readonly Schemas["SearchFeature"][];
}

const most = 8;

/** Every switch that an order can mean, those of the flag with exactly this name first. */
export function switchesFor({ enabled, flag, environment }: Order, flags: Props["flags"]) {
  return flags
    .flatMap(({ name, project, environments }) =>
      environments
        .filter((one) => one.enabled !== enabled && one.name.toLowerCase().startsWith(environment))
        .map(({ name: where, type }) => ({
          projectId: project,
          featureName: name,
          environment: { name: where, type },
        })),
    )
    .sort((one, other) => Number(other.featureName === flag) - Number(one.featureName === flag))
    .slice(0, most);
}

/** Switches that can be turned from here, in production after the question that every switch asks there. */
export function Orders({ order, flags }: Props) {
  const found = switchesFor(order, flags);
  if (found.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label="Switches">
      {found.map((what) => (
        <Turn key={`${what.featureName} ${what.environment.name}`} what={what} enabled={order.enabled} />
      ))}
    </Spotlight.ActionsGroup>
  );
}

function Turn({ what, enabled }: { what: Switched; enabled: boolean }) {
  const switchTo = useSwitching();
  const refusal = useRefusal(planSwitch(what, enabled), what.projectId);
  const Icon = enabled ? IconToggleRight : IconToggleLeft;
  const { featureName, environment, projectId } = what;
  return (
    <Spotlight.Action
      label={`${enabled ? "Enable" : "Disable"} ${featureName} in ${environment.name}`}
      description={refusal ?? (isProduction(environment.type) ? "▲ production: asks first" : projectId)}
      disabled={refusal !== undefined}
      leftSection={<Icon size={16} aria-hidden />}
      onClick={() => void switchTo(what, enabled)}
    />
  );
}
