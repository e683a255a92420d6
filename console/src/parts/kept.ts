import { useMemo, useState } from "react";
import { useMe } from "../api/queries";

/** What a person chose for themselves: kept in this browser, for each person apart. */
export function useKept<T>(name: string, usual: T): [T, (value: T) => void] {
  const key = `flagstone.${name}.${useMe()?.user.id ?? ""}`;
  const [written, setWritten] = useState<{ key: string; value: T }>();
  const stored = useMemo(() => parsed<T>(localStorage.getItem(key)), [key]);
  const value = written?.key === key ? written.value : (stored ?? usual);
  return [
    value,
    (next) => {
      localStorage.setItem(key, JSON.stringify(next));
      setWritten({ key, value: next });
    },
  ];
}

function parsed<T>(text: string | null): T | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
