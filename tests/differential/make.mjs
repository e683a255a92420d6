// Makes generated features as people make them, over the API, and keeps what was stored of them.

import { constraint, featureVariants, strategy } from './generate.mjs';

const features = '/projects/default/features';
const environment = 'development';
/** Features that are made at a time. */
const width = 6;

/** Makes so many features. Answers what was made of them, and what was refused and why. */
export async function make(admin, random, count) {
  const made = { features: [], taken: 0, refusals: 0, refused: new Map(), unclear: [], segments: 0 };
  for (const name of ['country', 'plan', 'price', 'appVersion', 'basketId', 'unknownField']) {
    await admin.post('/context', { name, stickiness: true });
  }
  await admin.post('/context', { name: 'remoteAddress' });
  // Every SDK has these built in, and new instances have them no more.
  for (const name of ['gradualRolloutUserId', 'gradualRolloutSessionId', 'gradualRolloutRandom']) {
    await admin.post('/strategies', { name, parameters: [] });
  }
  const segments = [];
  for (let number = 0; number < 20; number++) {
    const body = { name: `segment ${number}`, constraints: random.list(1, 2, constraint) };
    const answer = await attempt(admin, 'POST', '/segments', body);
    if (answer.ok) segments.push(answer.body.id);
    else note(made, body, answer);
  }
  made.segments = segments.length;
  // All of it is drawn before anything is made, so that it does not depend on what is answered first.
  const wanted = Array.from({ length: count }, (_, number) => ({
    name: `generated.${number}`,
    strategies: random.list(1, 3, () => strategy(random, segments)),
    ...(random.chance(20) && { variants: featureVariants(random) }),
    ...(number % 5 === 4 && { parent: `generated.${number - 1 - random.below(4)}`, enabled: random.chance(75) }),
  }));
  const waiting = [...wanted];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await one(admin, next, made);
  };
  await Promise.all(Array.from({ length: width }, worker));
  made.features.sort((a, b) => wanted.findIndex(({ name }) => name === a.name) - wanted.findIndex(({ name }) => name === b.name));
  for (const { name, parent, enabled } of wanted.filter(({ parent }) => parent)) {
    await admin.post(`${features}/${name}/dependencies`, { feature: parent, enabled });
    const [child, of] = [name, parent].map((one) => made.features.find((feature) => feature.name === one));
    child.dependencies = [of];
  }
  return made;
}

async function one(admin, { name, strategies, variants }, made) {
  await admin.post(features, { name, type: 'release' });
  const at = `${features}/${name}/environments/${environment}`;
  const stored = [];
  for (const body of strategies) {
    const answer = await attempt(admin, 'POST', `${at}/strategies`, body);
    if (answer.ok) stored.push(answer.body);
    else note(made, body, answer);
  }
  made.taken += stored.length;
  if (variants) await admin.put(`${at}/variants`, variants);
  await admin.post(`${at}/on`);
  made.features.push({ name, strategies: stored, dependencies: [] });
}

async function attempt(admin, method, path, body) {
  const answer = await fetch(admin.url + path, { method, headers: admin.headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return { ok: answer.ok, status: answer.status, body: text ? JSON.parse(text) : undefined };
}

/** Keeps a refusal; one that does not say which property is wrong is unclear. */
function note(made, body, { status, body: answer }) {
  const message = answer?.details?.[0]?.message ?? answer?.message ?? '';
  const kind = message.replace(/\d+/g, 'n');
  made.refusals += 1;
  made.refused.set(kind, (made.refused.get(kind) ?? 0) + 1);
  const names = ['/constraints/', '/parameters/', '/variants/'].some((property) => message.includes(property));
  if (status !== 400 || !names) made.unclear.push(`${JSON.stringify(body)} is answered ${status} ${JSON.stringify(answer)}`);
}
