import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Unread } from "../Unread";
import { eventsBack, type Filters, type Found, type Options } from "./eventsBack";

interface Props extends Omit<Options, "signal"> {
  /** Kind, id and version of the thing: what is shown of it and its events belong together. */
  of: readonly unknown[];
  filters: Filters;
  children: (found: Found) => ReactNode;
}

/** Events of something, once they are read. */
export function Log({ of, filters, birth, isMeant, children }: Props) {
  const read = useQuery({
    queryKey: ["rewind", ...of],
    queryFn: ({ signal }) => eventsBack(filters, { birth, isMeant, signal }),
    retry: false,
  });
  return read.data ? children(read.data) : <Unread read={read} rows={5} />;
}
