import { send } from "../../api/client";
import { request } from "../../api/request";
import { useAct } from "../act";
import { confirm, unasked, type Meant } from "../confirm";
import { EnvironmentName, isProduction } from "../EnvironmentName";
import { tellFailure } from "../notices";
import { audiences } from "../strategies/audience";
import { segmentNames } from "../strategies/segments";
import { WithMoments } from "../Moment";

export interface Switched {
  projectId: string;
  featureName: string;
  environment: { name: string; type?: string };
}

const on = "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/on";
const off = "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/off";

const pathOf = ({ projectId, featureName, environment }: Switched) => ({
  projectId,
  featureName,
  environment: environment.name,
});

export const planSwitch = (what: Switched, enabled: boolean) =>
  request("post", enabled ? on : off, { params: { path: pathOf(what) } });

/**
 * Switches a flag in an environment: at once, but in production after saying what will be so. Answers once it is done,
 * with when everything shown has been read again.
 */
export function useSwitching() {
  const { act } = useAct();
  return async (what: Switched, enabled: boolean) => {
    const { featureName, environment } = what;
    const isAsked = isProduction(environment.type);
    const meant = isAsked ? await asked(what, enabled) : unasked;
    if (!meant) return undefined;
    return await act({
      request: meant.because(planSwitch(what, enabled)),
      done: `${featureName} is ${enabled ? "on" : "off"} in ${environment.name}.`,
      undo: planSwitch(what, !enabled),
      undoing: isAsked
        ? {
            label: `Switch ${enabled ? "off" : "on"} again in ${environment.name}`,
            done: `${featureName} is ${enabled ? "off" : "on"} again in ${environment.name}.`,
          }
        : undefined,
    });
  };
}

async function asked(what: Switched, enabled: boolean): Promise<Meant | undefined> {
  try {
    const fresh = await send(
      request("get", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}", {
        params: { path: pathOf(what) },
      }),
    );
    const strategies = fresh.data.strategies ?? [];
    const who = audiences(strategies, await segmentNames(strategies));
    return await confirm({
      title: `Switch ${enabled ? "on" : "off"} in production`,
      action: `Switch ${enabled ? "on" : "off"} in ${what.environment.name}`,
      danger: !enabled,
      urgent: !enabled,
      reasoned: true,
      requests: [planSwitch(what, enabled)],
      consequence: <Consequence what={what} enabled={enabled} who={who} />,
    });
  } catch (failure) {
    tellFailure(failure);
    return undefined;
  }
}

interface ConsequenceProps {
  what: Switched;
  enabled: boolean;
  /** For whom it will be on, a sentence each. */
  who: readonly string[];
}

function Consequence({ what: { featureName, environment }, enabled, who }: ConsequenceProps) {
  return (
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
            <li key={at}>
              <WithMoments text={sentence} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
