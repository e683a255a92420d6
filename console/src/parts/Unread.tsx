import { Problem } from "./Problem";
import { Waiting } from "./Waiting";

interface Props {
  read: { data: unknown; error: unknown; refetch: () => unknown };
  /** Rows that stand for what is on its way. */
  rows?: number;
}

/** Stands for what has not been read: why, or that it is on its way. */
export const Unread = ({ read, rows }: Props) =>
  read.error && !read.data ? <Problem error={read.error} again={() => void read.refetch()} /> : <Waiting rows={rows} />;
