import { Switch, Tooltip } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { useWhyNot } from "../../api/queries";
import { request } from "../../api/request";
import { useAct } from "../act";
import { confirm } from "../confirm";
import { EnvironmentName, isProduction } from "../EnvironmentName";
import { tellFailure } from "../notices";
import { audiences } from "../strategies/audience";
import { segmentNames } from "../strategies/segments";

interface Props {
  projectId: string;
  featureName: string;
  environment: { name: string; type?: string; enabled: boolean };
}

const on = "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/on";
const off = "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/off";

/** Switches a feature in an environment: at once, but in production after saying what will be so. */
export function EnvironmentSwitch({ projectId, featureName, environment }: Props) {
  const { act } = useAct();
  const whyNot = useWhyNot();
  const [wanted, setWanted] = useState<boolean>();
  const path = { projectId, featureName, environment: environment.name };
  const plan = (enabled: boolean) => request("post", enabled ? on : off, { params: { path } });
  const refusal = whyNot(plan(!environment.enabled));
  const isOn = wanted ?? environment.enabled;

  async function change(enabled: boolean) {
    if (refusal || wanted !== undefined) return;
    setWanted(enabled);
    if (!isProduction(environment.type) || (await isMeant(enabled))) {
      const outcome = await act({
        request: plan(enabled),
        done: `${featureName} is ${enabled ? "on" : "off"} in ${environment.name}.`,
        undo: plan(!enabled),
        undoing: isProduction(environment.type)
          ? {
              label: `Switch ${enabled ? "off" : "on"} again in ${environment.name}`,
              done: `${featureName} is ${enabled ? "off" : "on"} again in ${environment.name}.`,
            }
          : undefined,
      });
      await outcome?.refreshed;
    }
    setWanted(undefined);
  }

  async function isMeant(enabled: boolean): Promise<boolean> {
    try {
      const fresh = await send(
        request("get", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}", {
          params: { path },
        }),
      );
      const strategies = fresh.data.strategies ?? [];
      const who = audiences(strategies, await segmentNames(strategies));
      return await confirm({
        title: `Switch ${enabled ? "on" : "off"} in production`,
        action: `Switch ${enabled ? "on" : "off"} in ${environment.name}`,
        danger: !enabled,
        urgent: !enabled,
        requests: [plan(enabled)],
        consequence: (
          <>
            <bdi>
              <strong>{featureName}</strong>
            </bdi>{" "}
            will be <strong>{enabled ? "on" : "off"}</strong> in <EnvironmentName {...environment} />
            {!enabled && " for everybody."}
            {enabled && who.length === 0 && ". No strategy is enabled there: the project's default is added first."}
            {enabled && who.length > 0 && " for:"}
            {enabled && who.length > 0 && (
              <ul>
                {who.map((sentence, at) => (
                  <li key={at}>{sentence}</li>
                ))}
              </ul>
            )}
          </>
        ),
      });
    } catch (failure) {
      tellFailure(failure);
      return false;
    }
  }

  const control = (
    <Switch
      size="sm"
      withThumbIndicator={false}
      aria-label={`${featureName} in ${environment.name}`}
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
