// OpenFeature's provider for servers, which asks about one flag at a time: what it answers as the server evaluates it.

import { OFREPProvider } from '@openfeature/ofrep-provider';
import { ErrorCode, OpenFeature } from '@openfeature/server-sdk';

import { questions } from './compare.mjs';
import { deviation } from './deviations.mjs';
import { groups } from './story/flags.mjs';

/** Questions that are asked side by side. */
const atOnce = 8;

const flags = new Map(
  Object.values(groups)
    .flat()
    .map((flag) => [flag.name, flag]),
);
/** Asked by context, as pages ask: an empty id is none. */
const asPagesAsk = { name: 'unleash-proxy-client' };

const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/** Complaints about a provider that asks at an address; `missing` are the names that no flag has. */
export async function openFeature(url, token, expected, missing) {
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: url, headers: { Authorization: token } }));
  const client = OpenFeature.getClient();
  const complaints = [];
  const asked = questions.flatMap(({ name, context, flags }) => flags.map((flag) => ({ name, context, flag })));
  const ask = async ({ name, context, flag }) => {
    const wanted = deviation(asPagesAsk, flags.get(flag), context)?.answer ?? expected.get(`${flag} for ${name}`);
    const { properties, ...fields } = context;
    // Where a context names no session the server would name one at random.
    const told = { sessionId: '', appName: 'library-of-nobody', ...properties, ...fields };
    const [details, value] = await byType(client, flag, wanted, told);
    const known = missing.has(flag)
      ? details.errorCode === ErrorCode.FLAG_NOT_FOUND
      : !details.errorCode && details.flagMetadata.enabled === wanted.enabled;
    const state = wanted.enabled ? 'enabled' : 'disabled';
    const named = wanted.variant === 'disabled' ? state : wanted.variant;
    const variant = missing.has(flag) ? undefined : named;
    if (known && same(details.value, value) && details.variant === variant) return;
    complaints.push(`${flag} for ${name} is ${JSON.stringify(details)}, not ${JSON.stringify(wanted)}`);
  };
  const work = asked.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const question of work) await ask(question);
    }),
  );
  await OpenFeature.close();
  return complaints;
}

/** What the provider says to who asks for the type that the answer has, and the value that it should have. */
async function byType(client, flag, { enabled, payload }, context) {
  switch (payload?.type) {
    case undefined:
      return [await client.getBooleanDetails(flag, false, context), enabled];
    case 'number':
      return [await client.getNumberDetails(flag, -1, context), Number(payload.value)];
    case 'json':
      return [await client.getObjectDetails(flag, {}, context), JSON.parse(payload.value)];
    default:
      return [await client.getStringDetails(flag, '', context), payload.value];
  }
}
