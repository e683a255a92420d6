import { Table } from "@mantine/core";
import type { Line } from "./changes";
import { WithMoments } from "../Moment";

interface Props {
  label: string;
  /** What the two columns are. */
  heads: readonly [string, string];
  lines: readonly Line[];
}

const most = 200;

/** What differs, line by line. */
export function Differences({ label, heads, lines }: Props) {
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label={label}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            {heads.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.slice(0, most).map(({ path, before, after }, at) => (
            <Table.Tr key={at}>
              <Table.Td className="mono breaks" miw={120}>
                {path}
              </Table.Td>
              <Table.Td className="mono breaks">
                <bdi>
                  <WithMoments text={before} />
                </bdi>
              </Table.Td>
              <Table.Td className="mono breaks">
                <bdi>
                  <WithMoments text={after} />
                </bdi>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
