import { Drawer, Group, Select, Stack } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { isRequested } from "../../../parts/change-requests/requests";
import { confirm } from "../../../parts/confirm";
import { EnvironmentName, environmentOption, isProduction } from "../../../parts/EnvironmentName";
import { eventInWords } from "../../../parts/events/sentence";
import { Problem } from "../../../parts/Problem";
import { useSegmentNames } from "../../../parts/strategies/segments";
import type { Shown } from "../shown";
import { Comparison } from "./Comparison";
import { comparison, differs, usualPair, type Aspect } from "./comparison";
import { contentOf, putting } from "./copying";

type Environment = Schemas["FeatureEnvironmentDetails"];

interface Props extends Pick<Shown, "feature"> {
  onClose: () => void;
}

/** Two environments of a flag side by side, and the way to make the second like the first. */
export default function Compare({ feature, onClose }: Props) {
  const { environments } = feature;
  const segments = useSegmentNames();
  const [pair, setPair] = useState(usualPair(environments, isProduction));
  const [from, to] = pair.map((name) => environments.find((one) => one.name === name));
  const options = environments.map(environmentOption);
  const rows = from && to ? comparison(from, to, segments) : [];
  return (
    <Drawer opened onClose={onClose} size="xl" title="Compare environments">
      <Stack gap="md">
        <Group gap="sm" grow>
          <Select
            label="Environment"
            data={options}
            allowDeselect={false}
            value={pair[0]}
            onChange={(name) => name && setPair([name, pair[1]])}
          />
          <Select
            label="Compared with"
            data={options}
            allowDeselect={false}
            value={pair[1]}
            onChange={(name) => name && setPair([pair[0], name])}
          />
        </Group>
        {from && to && from !== to && (
          <>
            <p role="status">{inWords(rows)}</p>
            <Comparison
              label="Both environments"
              rows={rows}
              heads={[from, to].map((one) => (
                <EnvironmentName key={one.name} {...one} />
              ))}
            />
            <CopyButton feature={feature} from={from} to={to} />
          </>
        )}
      </Stack>
    </Drawer>
  );
}

function inWords(rows: readonly Aspect[]): string {
  const count = rows.filter(differs).length;
  return count === 0 ? "There is no difference." : count === 1 ? "1 difference." : `${count} differences.`;
}

interface CopyProps extends Pick<Shown, "feature"> {
  from: Environment;
  to: Environment;
}

/** Makes strategies and variants of one environment those of another one, after a dry run. */
function CopyButton({ feature, from, to }: CopyProps) {
  const segments = useSegmentNames();
  const { act, busy, error, setError } = useAct({ inline: true });
  const [isTrying, setTrying] = useState(false);
  const place = { project: feature.project, featureName: feature.name, environment: to.name };
  // What single strategies need is the least that this needs.
  const strategies = request(
    "post",
    "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies",
    {
      params: { path: { projectId: feature.project, featureName: feature.name, environment: to.name } },
      body: { name: "flexibleRollout" },
    },
  );

  async function attempt() {
    const [wanted, before] = await Promise.all(
      [from, to].map(({ name }) => contentOf({ featureName: feature.name, environment: name })),
    );
    const trial = (await send(putting(place, wanted!, to.enabled, true))).data;
    return { wanted: wanted!, before: before!, trial };
  }

  async function copy() {
    setTrying(true);
    setError(undefined);
    const tried = await attempt().catch((refusal: unknown) => setError(refusal));
    setTrying(false);
    if (!tried) return;
    const { errors, permissions = [] } = tried.trial.findings;
    const objections = [...errors, ...permissions].map(({ message, affectedItems }) =>
      [message, affectedItems.join(", ")].filter(Boolean).join(" "),
    );
    if (objections.length) {
      setError(new Error(objections.join(" ")));
      return;
    }
    const planned = putting(place, tried.wanted, to.enabled);
    const needsApproval = isRequested(tried.trial.events);
    const meant = await confirm({
      title: `Copy ${from.name} to ${to.name}`,
      action: needsApproval ? "Send to review" : `Copy to ${to.name}`,
      reasoned: isProduction(to.type) && !needsApproval,
      requests: [planned],
      consequence: (
        <>
          Strategies and variants of <bdi>{feature.name}</bdi> in <EnvironmentName {...to} /> will be those of{" "}
          <EnvironmentName {...from} />. It stays {to.enabled ? "on" : "off"} there.
          <Comparison
            label="What copying changes"
            rows={comparison(to, { ...from, enabled: to.enabled }, segments)}
            heads={["Now", "Then"]}
          />
          {needsApproval ? (
            <p>
              Changes in {to.name} need approval: this becomes a change request of yours, which is in review, and takes
              effect once it is approved and applied.
            </p>
          ) : (
            <p>
              The server says:{" "}
              {tried.trial.events
                .map(({ type, environment }) => eventInWords(environment ? `${type} in ${environment}` : type))
                .join(", ") || "nothing would change"}
              .
            </p>
          )}
        </>
      ),
    });
    if (!meant) return;
    await act({
      request: meant.because(planned),
      done: ({ events }) =>
        isRequested(events)
          ? `Copying ${feature.name} to ${to.name} waits for approval, as your change request.`
          : `${feature.name} is in ${to.name} as in ${from.name}.`,
      undo: ({ events }) => (isRequested(events) ? undefined : putting(place, tried.before, to.enabled)),
      undoing: isProduction(to.type)
        ? { label: `Restore ${to.name}`, done: `${feature.name} is in ${to.name} as before.` }
        : undefined,
    });
  }

  return (
    <>
      <Problem error={error} />
      <Group justify="flex-end">
        <ActionButton
          request={strategies}
          loading={busy || isTrying}
          because={
            comparison({ ...from, enabled: to.enabled }, to).some(differs) ? undefined : "Both have the same already."
          }
          onClick={() => void copy()}
        >
          {`Copy ${from.name} to ${to.name} …`}
        </ActionButton>
      </Group>
    </>
  );
}
