// What the two programs in JavaScript share: reading what is to be asked, telling what came out, counting it.

import { readFileSync } from 'node:fs';
import readline from 'node:readline';

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** What the environment tells a program. */
export const settings = {
  url: process.env.LIBRARY_URL,
  token: process.env.LIBRARY_TOKEN,
  application: process.env.LIBRARY_APPLICATION,
  instance: process.env.LIBRARY_INSTANCE,
  mode: process.env.LIBRARY_MODE,
  story: JSON.parse(readFileSync(process.env.LIBRARY_STORY, 'utf8')),
};

/**
 * Goes through the story with a client that answers `isEnabled(flag, context)` and `getVariant(flag, context)`, and
 * tells everything to who started the program. `enter(context)` is called when another context begins, and
 * `stay()` when from then on only the user `somebody` asks. A story in which nothing moves is told round after round.
 */
export async function goThrough({ isEnabled, getVariant, enter = async () => {}, stay = async () => {} }) {
  const counted = {};
  const count = (flag, enabled, variant) => {
    const counts = (counted[flag] ??= { yes: 0, no: 0, variants: {} });
    counts[enabled ? 'yes' : 'no'] += 1;
    if (variant) counts.variants[variant] = (counts.variants[variant] ?? 0) + 1;
  };
  const askAll = async () => {
    for (const { name, context, flags } of settings.story.questions) {
      await enter(context);
      for (const flag of flags) {
        const enabled = isEnabled(flag, context);
        const variant = getVariant(flag, context);
        count(flag, enabled);
        count(flag, variant.feature_enabled, variant.name);
        say({ flag, context: name, enabled, variant: variant.name, payload: variant.payload ?? null });
      }
    }
  };
  await askAll();
  say({ asked: true });
  if (!settings.story.moving) return repeat(askAll);

  const { appears, goes, segment } = settings.story.moving;
  const somebody = { userId: 'somebody' };
  const arrived = {};
  await stay();
  while (!(arrived.appears && arrived.goes && arrived.segment)) {
    const look = (flag) => {
      const enabled = isEnabled(flag, somebody);
      count(flag, enabled);
      return enabled;
    };
    arrived.appears ||= look(appears);
    arrived.goes ||= !look(goes);
    arrived.segment ||= look(segment);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  say({ arrived: true, counted });
}

/** Asks again and again, and tells of each round, until the program is dismissed. */
async function repeat(askAll) {
  let dismissed = false;
  const end = untilDismissed().then(() => (dismissed = true));
  for (let round = 1; !dismissed; round++) {
    say({ round });
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 50))]);
    if (!dismissed) await askAll();
  }
}

/** Ends when nobody reads any more what the program says. */
export async function untilDismissed() {
  if (process.stdin.readableEnded) return;
  await new Promise((resolve) => readline.createInterface({ input: process.stdin }).on('close', resolve));
}
