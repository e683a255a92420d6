import { deviation, isDrawn } from './deviations.mjs';
import { groups, isSettled } from './story/flags.mjs';
import { contexts } from './story/contexts.mjs';

const off = { enabled: false, variant: 'disabled', payload: null };

const flags = Object.values(groups).flat();

/** What is asked: for each context the flags whose answer is not drawn at random. */
export const questions = [...contexts].map(([name, context]) => ({
  name,
  context,
  flags: flags.filter((flag) => isSettled(flag, context)).map((flag) => flag.name),
}));

/** The server's own evaluation, by flag and context as the programs name them. */
export async function evaluate(admin) {
  const answers = new Map();
  for (const { name, context, flags } of questions) {
    const wanted = { environment: 'development', projects: '*', context: { appName: 'library-of-nobody', ...context } };
    const { features } = await admin.post('/playground', wanted);
    const byName = new Map(features.map((feature) => [feature.name, feature]));
    for (const flag of flags) {
      const found = byName.get(flag);
      const answer = found && {
        enabled: found.isEnabled,
        variant: found.variant.name,
        payload: found.variant.payload ?? null,
      };
      answers.set(`${flag} for ${name}`, answer ?? off);
    }
  }
  return answers;
}

/** Complaints about a story that could not show a difference. */
export function blindSpots(expected) {
  return flags.flatMap((flag) => {
    const answers = [...contexts]
      .filter(([, context]) => isSettled(flag, context))
      .map(([name, context]) => ({
        ...expected.get(`${flag.name} for ${name}`),
        ...(flag.known && { enabled: flag.known(context) }),
      }));
    if (flag.always !== undefined) {
      return answers.every(({ enabled }) => enabled === flag.always)
        ? []
        : [`${flag.name} is not always ${flag.always}`];
    }
    const different = new Set(answers.map(({ enabled, variant }) => `${enabled} ${variant}`));
    return different.size > 1 ? [] : [`${flag.name} is always ${[...different]}`];
  });
}

/** Complaints about the answers of a library to the flags of a group. */
export function disagreements(library, group, answers, expected) {
  const complaints = [];
  for (const flag of groups[group]) {
    for (const [name, context] of contexts) {
      if (!isSettled(flag, context) || isDrawn(library, flag, context)) continue;
      const key = `${flag.name} for ${name}`;
      const isKnown = flag.known && !library.isAnsweredByServer;
      const common = isKnown ? { ...off, enabled: flag.known(context) } : expected.get(key);
      const differs = deviation(library, flag, context);
      const wanted = differs?.answer ?? common;
      const got = answers.get(key);
      if (text(got) !== text(wanted))
        complaints.push(`${key} is ${text(got)}, not ${text(wanted)}${differs ? `. ${differs.reason}` : ''}`);
      else if (differs && text(got) === text(common))
        complaints.push(`${key} is as everywhere. Known was: ${differs.reason}`);
    }
  }
  return complaints;
}

function text(answer) {
  if (!answer) return 'unanswered';
  const { enabled, variant, payload } = answer;
  return [enabled ? 'on' : 'off', variant, ...(payload ? [payload.type, JSON.stringify(payload.value)] : [])].join(' ');
}
