import { Button } from "@mantine/core";

interface Props {
  offset: number;
  /** Rows that are shown. */
  count: number;
  total: number;
  pageSize: number;
  /** Words of the two buttons. */
  words?: readonly [string, string];
  turn: (offset: number) => void;
}

/** The buttons to the part of a list before this one and to the next. */
export const Turning = ({ offset, count, total, pageSize, words = ["Previous", "Next"], turn }: Props) => (
  <>
    <Button
      variant="default"
      size="compact-sm"
      disabled={offset === 0}
      onClick={() => turn(Math.max(0, offset - pageSize))}
    >
      {words[0]}
    </Button>
    <Button
      variant="default"
      size="compact-sm"
      disabled={offset + count >= total}
      onClick={() => turn(offset + pageSize)}
    >
      {words[1]}
    </Button>
  </>
);
