import { Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useRefresh } from "../../../../api/queries";
import type { Schemas } from "../../../../api/request";
import { ActionButton } from "../../../../parts/ActionButton";
import { useChange } from "../../../../parts/change-requests/draft";
import { confirm } from "../../../../parts/confirm";
import { isProduction } from "../../../../parts/EnvironmentName";
import { tellDone, tellFailure } from "../../../../parts/notices";
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
  const refresh = useRefresh();
  const change = useChange();
  const [busy, setBusy] = useState(false);
  const rows = then ? settingsThatDiffer(environment, then) : [];
  const planned = then ? restoringSettings(environment, then, version) : [];
  const [first] = planned;
  if (!first) return null;

  async function restore() {
    const meant = await confirm({
      title: `Put the settings of ${environment.name} back`,
      action: "Put them back",
      danger: isProduction(environment.type),
      reasoned: true,
      requests: planned,
      consequence: (
        <>
          The environment itself will be as it was on {when}. Its flags stay as they are.
          <Comparison label="What changes of the settings" rows={rows} heads={["Now", "Then"]} />
        </>
      ),
    });
    if (!meant) return;
    setBusy(true);
    try {
      for (const one of planned) await change(meant.because(one));
      tellDone(`The settings of ${environment.name} are as they were on ${when}.`);
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setBusy(false);
      void refresh();
    }
  }

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
