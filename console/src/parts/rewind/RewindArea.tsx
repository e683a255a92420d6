import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Area } from "../area/Area";
import { Problem } from "../Problem";
import { Waiting } from "../Waiting";

interface Props<A> {
  /** Name of the thing, or its kind until that is known. */
  name: string;
  /** The list that it is in. */
  list: "environments" | "segments";
  read: { data: A | undefined; error: unknown; isPlaceholderData: boolean; refetch: () => unknown };
  children: (found: A) => ReactNode;
}

/** A page of something as it was at another time, with the way to the list that it is in. */
export function RewindArea<A>({ name, list, read: { data, error, isPlaceholderData, refetch }, children }: Props<A>) {
  return (
    <Area title={`Rewind ${name}`}>
      <div>
        <Link to="/build/$tab" params={{ tab: list }}>
          All {list}
        </Link>
      </div>
      {error && !data ? (
        <Problem error={error} again={() => void refetch()} />
      ) : !data || isPlaceholderData ? (
        <Waiting rows={5} />
      ) : (
        children(data)
      )}
    </Area>
  );
}
