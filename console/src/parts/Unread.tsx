import { Problem } from "./Problem";
import { Waiting } from "./Waiting";

interface Read {
  data: unknown;
  error: unknown;
  refetch: () => unknown;
}

interface Props {
  read: Read | Read[];
  /** Rows that stand for what is on its way. */
  rows?: number;
}

/** Stands for what has not been read: why, or that it is on its way. */
export function Unread({ read, rows }: Props) {
  const failed = [read].flat().find(({ data, error }) => error && !data);
  return failed ? <Problem error={failed.error} again={() => void failed.refetch()} /> : <Waiting rows={rows} />;
}
