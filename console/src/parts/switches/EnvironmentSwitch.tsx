import { useRef, useState } from "react";
import { useRefusal } from "../../api/queries";
import { RefusableSwitch } from "./RefusableSwitch";
import { planSwitch, useSwitching, type Switched } from "./useSwitching";

interface Props extends Switched {
  environment: Switched["environment"] & { enabled: boolean };
}

/** The switch of a flag in an environment. */
export function EnvironmentSwitch({ environment, ...flag }: Props) {
  const what = { ...flag, environment };
  const switchTo = useSwitching();
  const refusal = useRefusal(planSwitch(what, !environment.enabled), flag.projectId);
  /** As it was pressed to be, until the flag has been read again. */
  const [wanted, setWanted] = useState<boolean>();
  const [isSwitching, setIsSwitching] = useState(false);
  const presses = useRef(0);
  const isOn = wanted ?? environment.enabled;

  async function change(enabled: boolean) {
    if (isSwitching) return;
    const press = ++presses.current;
    setWanted(enabled);
    setIsSwitching(true);
    const outcome = await switchTo(what, enabled);
    setIsSwitching(false);
    await outcome?.refreshed;
    if (press === presses.current) setWanted(undefined);
  }

  return (
    <RefusableSwitch
      aria-label={`${flag.featureName} in ${environment.name}`}
      aria-busy={wanted !== undefined}
      refusal={refusal}
      checked={isOn}
      onChange={(enabled) => void change(enabled)}
    />
  );
}
