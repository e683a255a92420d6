import { Switch, Tooltip } from "@mantine/core";
import { useState } from "react";
import { useRefusal } from "../../api/queries";
import { planSwitch, useSwitching, type Switched } from "./useSwitching";

interface Props extends Switched {
  environment: Switched["environment"] & { enabled: boolean };
}

/** The switch of a flag in an environment. */
export function EnvironmentSwitch({ environment, ...flag }: Props) {
  const what = { ...flag, environment };
  const switchTo = useSwitching();
  const refusal = useRefusal(planSwitch(what, !environment.enabled), flag.projectId);
  const [wanted, setWanted] = useState<boolean>();
  const isOn = wanted ?? environment.enabled;

  async function change(enabled: boolean) {
    if (refusal || wanted !== undefined) return;
    setWanted(enabled);
    await switchTo(what, enabled);
    setWanted(undefined);
  }

  const control = (
    <Switch
      size="sm"
      withThumbIndicator={false}
      aria-label={`${flag.featureName} in ${environment.name}`}
      aria-disabled={refusal ? true : undefined}
      aria-busy={wanted !== undefined}
      data-refused={refusal ? true : undefined}
      checked={isOn}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  );
  return refusal ? (
    <Tooltip label={refusal} refProp="rootRef">
      {control}
    </Tooltip>
  ) : (
    control
  );
}
