import { useLayoutEffect, useRef } from "react";

/** What a key does, and what the help says of it. A sequence is written with a blank: `g f`. */
export interface Binding {
  does: string;
  run: () => void;
}

export type Bindings = Record<string, Binding>;

const active = new Set<{ current: Bindings }>();
const stored = "flagstone.keys";
let pending = "";

export const areKeysOn = () => localStorage.getItem(stored) !== "off";
export const switchKeys = (on: boolean) => localStorage.setItem(stored, on ? "on" : "off");

/** All keys of what is shown now, the innermost first. */
export const boundKeys = (): [string, Binding][] => {
  const found = new Map<string, Binding>();
  for (const bindings of [...active].reverse()) {
    for (const [key, binding] of Object.entries(bindings.current)) if (!found.has(key)) found.set(key, binding);
  }
  return [...found];
};

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input:not([type=checkbox]), textarea, select, [role=textbox]") !== null);

/** Pure, so that it can be tested: what a key press leads to, given what was pressed before. */
export function resolve(before: string, key: string, known: readonly string[]): { run?: string; pending: string } {
  const sequence = before ? `${before} ${key}` : key;
  if (known.includes(sequence)) return { run: sequence, pending: "" };
  if (known.some((one) => one.startsWith(`${sequence} `))) return { pending: sequence };
  return before ? resolve("", key, known) : { pending: "" };
}

function onKeyDown(event: KeyboardEvent) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !areKeysOn()) return;
  if (isWriting(event.target) || document.querySelector("[role=dialog]")) return;
  // Buttons and links do their own with Enter.
  if (event.key === "Enter" && event.target instanceof Element && event.target.closest("a, button, summary")) return;
  const bound = new Map(boundKeys());
  const outcome = resolve(pending, event.key, [...bound.keys()]);
  pending = outcome.pending;
  if (outcome.run) {
    event.preventDefault();
    bound.get(outcome.run)?.run();
  }
}

/** Binds keys as long as the caller is shown: whoever sees it may press one. */
export function useKeys(bindings: Bindings) {
  const latest = useRef(bindings);
  useLayoutEffect(() => {
    latest.current = bindings;
  });
  useLayoutEffect(() => {
    if (active.size === 0) document.addEventListener("keydown", onKeyDown);
    active.add(latest);
    return () => {
      active.delete(latest);
      if (active.size === 0) document.removeEventListener("keydown", onKeyDown);
    };
  }, []);
}
