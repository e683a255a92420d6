// What the programs in JavaScript share: where they ask, and how they say what they were told.

export const { ECOSYSTEM_URL: url, ECOSYSTEM_CLIENT_TOKEN: clientToken, ECOSYSTEM_FRONTEND_TOKEN: frontendToken } = process.env;
export const { ECOSYSTEM_APPLICATION: application } = process.env;

const say = (line) => console.log(JSON.stringify(line));
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The features with a variant, each with the type of its payload. */
const payloads = { 'field.text': 'string', 'field.number': 'number', 'field.json': 'json' };
const booleans = ['field.everyone', 'field.nobody', 'field.seven', 'field.moving', 'field.missing'];

/**
 * Asks everything: `enter` takes the id of a user, `isEnabled` and `value` the name of a feature, the latter with the type of
 * its payload. Then waits for the change, and for the end of its input.
 */
export async function goThrough({ enter, isEnabled, value }) {
  await enter('8');
  say({ flag: 'field.seven', context: '8', value: await isEnabled('field.seven') });
  await enter('7');
  for (const flag of booleans) say({ flag, context: '7', value: await isEnabled(flag) });
  for (const [flag, type] of Object.entries(payloads)) say({ flag, context: '7', value: await value(flag, type) });
  say({ asked: true });
  while (!(await isEnabled('field.moving'))) await pause(100);
  say({ arrived: true });
  await new Promise((resolve) => process.stdin.on('end', resolve).resume());
}

/** The value of an Unleash variant's payload. */
export function payload(variant, type) {
  if (variant.payload?.type !== type) return variant;
  const { value } = variant.payload;
  return type === 'string' ? value : JSON.parse(value);
}
