import { TextInput } from "@mantine/core";
import { useRef } from "react";
import { useAddress } from "../address";
import { useKeys } from "../keys";

/** A part of a name that the address keeps, reached with `/`. */
export function SearchField({ label = "Part of the name" }: { label?: string }) {
  const { get, change } = useAddress();
  const input = useRef<HTMLInputElement>(null);
  useKeys({ "/": { does: "Search", run: () => input.current?.focus() } });
  return (
    <TextInput
      ref={input}
      type="search"
      size="xs"
      w={260}
      aria-label={label}
      placeholder={`${label} ( / )`}
      value={get("query") ?? ""}
      onChange={(event) => change({ query: event.currentTarget.value || undefined })}
    />
  );
}

/** Whether one of these texts holds what is searched for. */
export function holds(query: string | undefined, ...texts: (string | null | undefined)[]): boolean {
  const wanted = (query ?? "").trim().toLowerCase();
  return wanted === "" || texts.some((text) => text?.toLowerCase().includes(wanted));
}
