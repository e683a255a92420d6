import type { Planned } from "./request";

/** Most characters that the log keeps. */
export const mostOfReason = 500;

const header = "X-Change-Reason";

/** The same change with why it is made, which its events keep; without a reason as it is. */
export function because<A>(planned: Planned<A>, reason: string): Planned<A> {
  const text = reason.trim();
  if (text === "") return planned;
  const { params } = planned.init;
  // Headers are ASCII.
  const said = { [header]: encodeURIComponent(text) };
  return { ...planned, init: { ...planned.init, params: { ...params, header: { ...params?.header, ...said } } } };
}
