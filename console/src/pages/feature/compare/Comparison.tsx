import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import { differs, type Aspect } from "./comparison";
import { WithMoments } from "../../../parts/Moment";
import classes from "../Feature.module.css";

interface Props {
  label: string;
  rows: readonly Aspect[];
  /** What the two columns are. */
  heads: readonly ReactNode[];
}

/** Two states of a flag side by side; what differs is marked. */
export function Comparison({ label, rows, heads }: Props) {
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label={label}>
      <Table className={classes.comparison}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Property</Table.Th>
            {heads.map((head, at) => (
              <Table.Th key={at}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, at) => (
            <Table.Tr key={at} className={differs(row) ? classes.different : undefined}>
              <Table.Td>
                {row.what} {differs(row) && <span className="chip">different</span>}
              </Table.Td>
              {[row.one, row.other].map((text, column) => (
                <Table.Td key={column} className="breaks">
                  {text ? (
                    <bdi>
                      <WithMoments text={text} />
                    </bdi>
                  ) : (
                    <span className="muted">none</span>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
