import { Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { serverTime } from "../../api/clock";
import { chooseZone, hasChosenZone, inZone, ofBrowser, useZone } from "../zone";

/** Of the computer, by its name in the list. */
const own = "";
const zones = [
  { value: own, label: `As this computer: ${ofBrowser}` },
  ...["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map((zone) => ({
    value: zone,
    label: zone,
  })),
];

/** In which zone moments are shown and entered. */
export default function ZoneDialog({ onClose }: { onClose: () => void }) {
  const zone = useZone();
  const [now] = useState(() => new Date(serverTime()));
  return (
    <Modal opened onClose={onClose} title="Time zone">
      <Stack gap="md">
        <Select
          data-autofocus
          label="Zone of all times"
          description="Kept by this browser. Days of charts and filters are those of UTC."
          searchable
          allowDeselect={false}
          limit={100}
          data={zones}
          value={hasChosenZone() ? zone : own}
          onChange={(chosen) => chooseZone(chosen ?? undefined)}
        />
        <Text size="sm" className="muted figures" role="status">
          Now it is {inZone(now, zone)} there.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
