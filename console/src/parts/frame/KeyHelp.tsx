import { Kbd, Modal, Switch, Table } from "@mantine/core";
import { useState } from "react";
import { areKeysOn, boundKeys, switchKeys } from "../keys";

/** The keys of the page that is shown. */
export default function KeyHelp({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(areKeysOn);
  return (
    <Modal opened onClose={onClose} title="Keys">
      <Switch
        label="Single keys do something"
        checked={on}
        onChange={(event) => {
          switchKeys(event.currentTarget.checked);
          setOn(event.currentTarget.checked);
        }}
      />
      <Table mt="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th>Does</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {[
            ["Ctrl K", "Go to a page, a flag, or an action"] as const,
            ...boundKeys().map(([key, { does }]) => [key, does] as const),
          ].map(([key, does]) => (
            <Table.Tr key={key}>
              <Table.Td>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
