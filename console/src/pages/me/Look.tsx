import { Radio, Stack, Switch, useMantineColorScheme } from "@mantine/core";
import { useState } from "react";
import areaClasses from "../../parts/area/Area.module.css";
import { areKeysOn, switchKeys } from "../../parts/keys";

/** What this browser keeps: colours, and whether keys do something. */
export function Look() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const [on, setOn] = useState(areKeysOn);
  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Look and keys">
      <Stack gap="lg">
        <Radio.Group
          label="Colours"
          description="Kept by this browser."
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme)}
        >
          <Stack gap={6} mt="sm">
            <Radio value="auto" label="As the system" />
            <Radio value="light" label="Light" />
            <Radio value="dark" label="Dark" />
          </Stack>
        </Radio.Group>
        <Switch
          label="Keyboard shortcuts of one key"
          description="Press ? on any page to see which."
          checked={on}
          onChange={(event) => {
            switchKeys(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
        />
      </Stack>
    </section>
  );
}
