import { request, type Schemas } from "../../api/request";
import { forField, fromField } from "../../parts/zone";

export type Window = Schemas["FreezeWindow"];
export type Day = Schemas["DayOfWeek"];

export const days: readonly { value: Day; label: string }[] = [
  { value: "monday", label: "Monday" },
  { value: "tuesday", label: "Tuesday" },
  { value: "wednesday", label: "Wednesday" },
  { value: "thursday", label: "Thursday" },
  { value: "friday", label: "Friday" },
  { value: "saturday", label: "Saturday" },
  { value: "sunday", label: "Sunday" },
];

/** A freeze window in its form, where days and hours are those of its zone. */
export type Draft = {
  environment: string;
  kind: "once" | "weekly";
  /** As a field for a day and time holds it. */
  from: string;
  to: string;
  days: Day[];
  begins: string;
  ends: string;
  zone: string;
  reason: string;
  exemptRoles: number[];
};

export const blank = (zone: string, now: Date): Draft => {
  const [from, to] = [1, 2].map((day) => forField(new Date(now.getTime() + day * 86_400_000), zone));
  return {
    environment: "",
    kind: "once",
    from: `${from!.slice(0, 10)}T00:00`,
    to: `${to!.slice(0, 10)}T00:00`,
    days: ["friday"],
    begins: "16:00",
    ends: "24:00",
    zone,
    reason: "",
    exemptRoles: [],
  };
};

export const draftOf = (window: Window, now: Date): Draft => ({
  ...blank(window.zone, now),
  environment: window.environment ?? "",
  kind: window.weekly ? "weekly" : "once",
  ...(window.once && {
    from: forField(new Date(window.once.from), window.zone),
    to: forField(new Date(window.once.to), window.zone),
  }),
  ...(window.weekly && { days: window.weekly.days, begins: window.weekly.from, ends: window.weekly.to }),
  reason: window.reason,
  exemptRoles: window.exemptRoles,
});

const instant = (text: string, zone: string) => fromField(text, zone)?.toISOString() ?? "";

const bodyOf = ({ environment, kind, from, to, days, begins, ends, zone, reason, exemptRoles }: Draft) => ({
  environment: environment || null,
  ...(kind === "once"
    ? { once: { from: instant(from, zone), to: instant(to, zone) } }
    : { weekly: { days, from: begins, to: ends } }),
  zone,
  reason: reason.trim(),
  exemptRoles,
});

const one = "/api/admin/freeze-windows/{id}";

export const windowsRequest = request("get", "/api/admin/freeze-windows");
export const planNew = (draft: Draft) => request("post", "/api/admin/freeze-windows", { body: bodyOf(draft) });
export const planChange = (id: number, draft: Draft) =>
  request("put", one, { params: { path: { id } }, body: bodyOf(draft) });
export const planRemoval = (id: number) => request("delete", one, { params: { path: { id } } });

const hour = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Why it cannot be saved as it is. */
export function objectionTo({ kind, from, to, days, begins, ends, zone, reason }: Draft): string | undefined {
  if (reason.trim() === "") return "A reason is missing: whoever is refused reads it.";
  if (kind === "once") {
    const [begin, end] = [fromField(from, zone), fromField(to, zone)];
    if (!begin || !end) return "A day and a time are missing.";
    return end > begin ? undefined : "It must end after it begins.";
  }
  if (days.length === 0) return "A day of the week is missing.";
  return hour.test(begins) && (hour.test(ends) || ends === "24:00") ? undefined : "Hours are such as 18:00.";
}

const inWords = (chosen: readonly Day[]) =>
  days
    .filter(({ value }) => chosen.includes(value))
    .map(({ label }) => label)
    .join(", ");

/** "2027-12-24 00:00 to 2027-12-27 00:00", "Friday 16:00 to 24:00": in the zone of the window. */
export function timeOf({ once, weekly, zone }: Window): string {
  if (weekly) return `every ${inWords(weekly.days)}, ${weekly.from} to ${weekly.to}`;
  if (!once) return "never";
  const [from, to] = [once.from, once.to].map((at) => forField(new Date(at), zone).replace("T", " "));
  return `${from} to ${to}`;
}

/** Whether it is in force at a moment, or is over for good. */
export function standingOf(window: Window, now: Date): "now" | "later" | "over" {
  const { once } = window;
  if (once && new Date(once.to) <= now) return "over";
  const today = forField(now, window.zone).slice(0, 10);
  return [addDays(today, -1), today]
    .flatMap((date) => timesOn(window, date))
    .some(([from, to]) => from <= now && now < to)
    ? "now"
    : "later";
}

/** A day so many days later, as they are called. */
export function addDays(date: string, count: number): string {
  const moment = new Date(`${date}T00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + count);
  return moment.toISOString().slice(0, 10);
}

/** From when to when it is in force, of what begins on a day of its zone, or lasts over it. */
export function timesOn({ once, weekly, zone }: Window, date: string): [Date, Date][] {
  const at = (text: string) => fromField(text, zone)!;
  if (once) {
    const [from, to] = [new Date(once.from), new Date(once.to)];
    return from < at(`${addDays(date, 1)}T00:00`) && to > at(`${date}T00:00`) ? [[from, to]] : [];
  }
  const weekday = days[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7]!.value;
  if (!weekly?.days.includes(weekday)) return [];
  const end =
    weekly.to === "24:00"
      ? `${addDays(date, 1)}T00:00`
      : `${weekly.to > weekly.from ? date : addDays(date, 1)}T${weekly.to}`;
  return [[at(`${date}T${weekly.from}`), at(end)]];
}
