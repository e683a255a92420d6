import { Stack, Title } from "@mantine/core";
import type { Schemas } from "../../../../api/request";
import { ActionButton } from "../../../../parts/ActionButton";
import { isProduction } from "../../../../parts/EnvironmentName";
import { usePuttingBack } from "../../../../parts/rewind/usePuttingBack";
import { Comparison } from "../../../feature/compare/Comparison";
import type { Settings } from "./past";
import { restoringSettings, settingsThatDiffer } from "./settings";

interface Props {
  environment: Schemas["Environment"];
  version: string | undefined;
  then: Settings | undefined;
  /** The moment in words. */
  when: string;
}

/** The settings of the environment itself, where they were otherwise. */
export function SettingsThen({ environment, version, then, when }: Props) {
  const { putBack, busy } = usePuttingBack();
  const rows = then ? settingsThatDiffer(environment, then) : [];
  const planned = then ? restoringSettings(environment, then, version) : [];
  const [first] = planned;
  if (!first) return null;

  const restore = () =>
    putBack({
      title: `Put the settings of ${environment.name} back`,
      action: "Put them back",
      danger: isProduction(environment.type),
      planned,
      done: `The settings of ${environment.name} are as they were on ${when}.`,
      consequence: (
        <>
          The environment itself will be as it was on {when}. Its flags stay as they are.
          <Comparison label="What changes of the settings" rows={rows} heads={["Now", "Then"]} />
        </>
      ),
    });

  return (
    <section className="card" aria-label="Settings of the environment">
      <Stack gap="sm">
        <Title order={3}>Settings of the environment</Title>
        <Comparison label="Settings of the environment, now and then" rows={rows} heads={["Now", when]} />
        <div>
          <ActionButton variant="default" request={first} loading={busy} onClick={() => void restore()}>
            Put the settings back …
          </ActionButton>
        </div>
      </Stack>
    </section>
  );
}
