import { Skeleton } from "@mantine/core";

/** Stands where rows will be; shows only when they take longer than a moment. */
export function Waiting({ rows = 6 }: { rows?: number }) {
  return (
    <div className="late" aria-busy="true" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={20} my={8} animate={false} />
      ))}
    </div>
  );
}
