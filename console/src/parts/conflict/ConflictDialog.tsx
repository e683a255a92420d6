import { Button, Group, Modal, SegmentedControl, Stack, Table, Text } from "@mantine/core";
import { useState, useSyncExternalStore } from "react";
import { request } from "../../api/request";
import { useRead } from "../../api/queries";
import { actorOf } from "../events/actor";
import { Moment, WithMoments } from "../Moment";
import { differences, merged, type Choice, type Plain } from "./merge";

interface Versions {
  base: Plain;
  theirs: Plain;
  mine: Plain;
  /** Filters of the search for events that tell who was faster. */
  events: Record<string, string>;
}

type Decision = "theirs" | Plain | undefined;
interface Asked extends Versions {
  decide: (decision: Decision) => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();

/** Shows three versions of one thing, and gives what the person makes of them: nothing means to keep editing. */
export function askAbout(versions: Versions): Promise<Decision> {
  return new Promise((resolve) => {
    asked = {
      ...versions,
      decide: (decision) => {
        asked = undefined;
        listeners.forEach((listener) => listener());
        resolve(decision);
      },
    };
    listeners.forEach((listener) => listener());
  });
}

export function ConflictDialog() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
  return current ? <Dialog {...current} /> : null;
}

function Dialog({ base, theirs, mine, events, decide }: Asked) {
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const last = useRead(request("get", "/api/admin/search/events", { params: { query: { ...events, limit: "1" } } }));
  const by = last.data?.events[0];
  return (
    <Modal
      opened
      onClose={() => decide(undefined)}
      size="xl"
      zIndex={400}
      title="Somebody changed it while you were editing"
    >
      <Stack gap="md">
        {by && (
          <Text size="sm" className="breaks">
            The last change is by <bdi>{actorOf(by)}</bdi>, <Moment at={by.createdAt} />. What only one of you changed
            is kept.
          </Text>
        )}
        <div className="scrolls" tabIndex={0} role="region" aria-label="The three versions">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th>Where you started</Table.Th>
                <Table.Th>Theirs</Table.Th>
                <Table.Th>Yours</Table.Th>
                <Table.Th>Keep</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {differences(base, theirs, mine).map((difference) => (
                <Table.Tr key={difference.path}>
                  <Table.Td className="mono">{difference.path.slice(1)}</Table.Td>
                  <Value value={difference.base} />
                  <Value value={difference.theirs} />
                  <Value value={difference.mine} />
                  <Table.Td>
                    {difference.contested ? (
                      <SegmentedControl
                        size="xs"
                        aria-label={`Keep for ${difference.path.slice(1)}`}
                        data={[
                          { value: "theirs", label: "Theirs" },
                          { value: "mine", label: "Yours" },
                        ]}
                        value={choices[difference.path] ?? "mine"}
                        onChange={(choice) => setChoices({ ...choices, [difference.path]: choice })}
                      />
                    ) : (
                      "the change"
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        <Group justify="flex-end" gap="sm" className="actions">
          <Button variant="default" onClick={() => decide(undefined)}>
            Keep editing
          </Button>
          <Button variant="default" onClick={() => decide("theirs")}>
            Take theirs
          </Button>
          <Button onClick={() => decide(merged(base, theirs, mine, choices))}>Put mine on top</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Value({ value }: { value: unknown }) {
  return (
    <Table.Td className="mono breaks">
      <WithMoments text={value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value)} />
    </Table.Td>
  );
}
