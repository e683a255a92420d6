import { useSyncExternalStore } from "react";

const stored = "flagstone.zone";
const listeners = new Set<() => void>();

/** The zone of the reader's computer. */
export const ofBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The format of moments in a zone: made once, since lists ask for it with each of their cells. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(zone, made);
  return made;
}

export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The zone that moments are shown in: the reader's choice, else that of the computer. */
export function currentZone(): string {
  const chosen = localStorage.getItem(stored);
  return chosen && isZone(chosen) ? chosen : ofBrowser;
}

/** Keeps a choice in this browser; nothing means the zone of the computer. */
export function chooseZone(zone: string | undefined) {
  if (zone) localStorage.setItem(stored, zone);
  else localStorage.removeItem(stored);
  listeners.forEach((listener) => listener());
}

export const hasChosenZone = () => localStorage.getItem(stored) !== null;

export const useZone = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentZone);

/** "2027-01-31 12:00:00" in a zone. */
export function inZone(moment: Date, zone: string): string {
  const parts = formatOf(zone).formatToParts(moment);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? "";
  return `${of("year").padStart(4, "0")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}:${of("second")}`;
}

/** As a field for a day and time wants it. */
export const forField = (moment: Date, zone: string) => inZone(moment, zone).slice(0, 16).replace(" ", "T");

/** The moment at which clocks of a zone show this; none where it is no day and time. */
export function fromField(text: string, zone: string): Date | undefined {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const shownAt = (at: number) => Date.parse(`${inZone(new Date(at), zone).replace(" ", "T")}Z`);
  // Twice, since the zone may be another hour from UTC at the moment itself than at the guess.
  let found = asUtc;
  for (let turn = 0; turn < 2; turn += 1) found += asUtc - shownAt(found);
  return new Date(found);
}
