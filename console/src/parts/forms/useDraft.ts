import { useState } from "react";
import { same } from "../conflict/merge";

/** The values of a form and those that it began with, which follow what is stored as long as nothing is changed. */
export function useDraft<T extends object>(stored: T) {
  const [start, setStart] = useState(stored);
  const [draft, setDraft] = useState(stored);
  const isChanged = !same(start, draft);
  if (!isChanged && !same(start, stored)) {
    setStart(stored);
    setDraft(stored);
  }
  const change = (part: Partial<T>) => setDraft((before) => ({ ...before, ...part }));
  return { start, draft, isChanged, change, setStart, setDraft };
}
