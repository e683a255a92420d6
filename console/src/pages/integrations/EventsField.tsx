import { Button, Group, MultiSelect } from "@mantine/core";
import { useState } from "react";
import { useEnvironments } from "../../api/queries";
import { isProduction } from "../../parts/EnvironmentName";
import { groupedKinds } from "../../parts/events/kinds";
import { presetOf, presets, type Preset } from "./presets";
import type { Draft, Provider } from "./integrations";

/** More than so many are told by their number until somebody wants to see each. */
const few = 20;

interface Props {
  provider: Provider;
  draft: Draft;
  error: string | undefined;
  change: (changed: Partial<Draft>) => void;
}

/** The types of events: together by what they are about, or each by its sentence. */
export function EventsField({ provider, draft: { events }, error, change }: Props) {
  const environments = useEnvironments();
  const [isEach, setEach] = useState(false);
  const production = environments.filter(({ type }) => isProduction(type)).map(({ name }) => name);
  const chosen = presetOf(events);
  const suggested: Preset = { label: `Usual for ${provider.displayName}`, events: provider.events };
  const choose = (preset: Preset) =>
    change({ events: [...preset.events], ...(preset.isProduction ? { environments: production } : {}) });

  return (
    <div>
      <Group gap="xs" role="group" aria-label="Events chosen together" mb="xs">
        {[...presets, suggested].map((preset) => (
          <Button
            key={preset.label}
            size="compact-sm"
            variant="default"
            aria-pressed={preset.label === chosen?.label}
            className={preset.label === chosen?.label ? "chosen" : undefined}
            onClick={() => choose(preset)}
          >
            {preset.label}
          </Button>
        ))}
      </Group>
      {events.length > few && !isEach ? (
        <p role="status">
          {events.length} types of events are chosen.{" "}
          <Button size="compact-sm" variant="default" onClick={() => setEach(true)}>
            Show each
          </Button>
        </p>
      ) : (
        <MultiSelect
          label="Events"
          description="Type a word of the event log, such as switched, or a name of the API."
          withAsterisk
          searchable
          clearable
          clearButtonProps={{ "aria-label": "No events" }}
          hidePickedOptions
          nothingFoundMessage="No event is called so."
          error={error}
          data={groupedKinds}
          value={events}
          onChange={(types) => change({ events: types })}
        />
      )}
    </div>
  );
}
