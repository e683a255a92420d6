/** A noun of the console: what it says, what that means, and what it does not say instead. */
interface Word {
  say: string;
  meaning: string;
  not: readonly RegExp[];
}

/** The nouns of the field, as they stand on every page. Whatever needs explaining is explained in a help text. */
export const nouns: readonly Word[] = [
  {
    say: "feature flag",
    meaning: "is switched on and off; a flag, where there is no doubt",
    not: [/\btoggles?\b/i, /\bfeatures?\b(?! flag)/i],
  },
  { say: "strategy", meaning: "a rule that decides for whom a flag is on", not: [/activation/i, /say for whom/i] },
  { say: "constraint", meaning: "what the context must be, in a strategy or segment", not: [/\bconditions?\b/i] },
  { say: "stickiness", meaning: "the field that keeps a user in the same share or variant", not: [/decided by/i] },
  { say: "variant", meaning: "one of several values of a flag", not: [/\bflavou?rs?\b/i] },
  {
    say: "stage",
    meaning: "how far a flag is in its life, from initial to archived",
    not: [/\bphases?\b/i, /\blife ?cycle stages?\b/i],
  },
  { say: "segment", meaning: "constraints with a name", not: [/\baudiences?\b/i] },
  { say: "context field", meaning: "a named part of what is known about a user", not: [/\battributes?\b/i] },
  { say: "environment", meaning: "where a flag is on or off", not: [/\bstages of deployment\b/i] },
  { say: "project", meaning: "what flags, members and settings belong to", not: [/\bworkspaces?\b/i] },
  { say: "application", meaning: "whatever evaluates flags by an SDK", not: [/\bprograms?\b/i] },
  { say: "SDK", meaning: "the library that an application evaluates flags with", not: [/\bclient librar(y|ies)\b/i] },
  { say: "API token", meaning: "the secret of an application", not: [/\bapi keys?\b/i] },
  { say: "integration", meaning: "another system that events are sent to", not: [/\baddons?\b/i] },
  {
    say: "service account",
    meaning: "an application with a role and tokens of its own",
    not: [/\bbots?\b/i, /\btechnical users?\b/i],
  },
  { say: "event log", meaning: "every change, with who made it and when", not: [/\baudit log\b/i] },
  { say: "change request", meaning: "a change that waits for an approval", not: [/\bpull requests?\b/i] },
];

/** What buttons do, and what they are not called. */
export const verbs: readonly Word[] = [
  { say: "Create", meaning: "adds what was not there", not: [/^make\b/i] },
  { say: "Previous", meaning: "the page before", not: [/\bpage before\b/i] },
  { say: "Negate", meaning: "turns a constraint around", not: [/the other way round/i] },
  { say: "Ignore case", meaning: "upper and lower case are the same", not: [/whatever the case/i] },
  { say: "enabled", meaning: "an evaluation that found the flag on", not: [/said yes/i, /nobody asked/i] },
  { say: "Problems", meaning: "what is wrong", not: [/\bamiss\b/i] },
  { say: "Discovery URL", meaning: "where a login provider publishes its settings", not: [/describes itself/i] },
  { say: "Child flags", meaning: "the flags that depend on one", not: [/asked for by/i] },
  { say: "Message", meaning: "the text of a banner", not: [/\bit says\b/i] },
  { say: "removed", meaning: "of dependencies", not: [/\bfreed\b/i] },
];
