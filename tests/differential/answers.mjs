// Answers of everybody who evaluates on the server's side, by feature and person.

const off = { enabled: false, variant: 'disabled', payload: null };

/** An answer in one line. */
export function text(answer) {
  const { enabled, variant, payload } = answer ?? off;
  return enabled ? `on ${variant} ${payload ? `${payload.type} ${payload.value}` : ''}`.trim() : 'off';
}

async function post(url, token, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${url} ${JSON.stringify(body)} is answered ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function each(contexts, answersFor) {
  const answers = new Map();
  for (const [person, context] of contexts) {
    for (const [name, answer] of await answersFor(context)) answers.set(`${name} for ${person}`, answer);
  }
  return answers;
}

export const ask = {
  playground: ({ admin, application }, contexts) =>
    each(contexts, async (context) => {
      const wanted = { environment: 'development', projects: '*', context: { appName: application, ...context } };
      const { features } = await admin.post('/playground', wanted);
      return features.map((feature) => [
        feature.name,
        { enabled: feature.isEnabled, variant: feature.variant.name, payload: feature.variant.payload ?? null },
      ]);
    }),

  frontend: ({ url, token, application }, contexts) =>
    each(contexts, async (context) => {
      const { toggles } = await post(`${url}/api/frontend`, token, { context: { appName: application, ...context } });
      return toggles.map(({ name, enabled, variant }) => [
        name,
        { enabled, variant: variant.name, payload: variant.payload ?? null },
      ]);
    }),

  // Its values have the types of the payloads, which are texts here.
  ofrep: ({ url, token, application }, contexts) =>
    each(contexts, async (context) => {
      const { flags } = await post(`${url}/ofrep/v1/evaluate/flags`, token, {
        context: { appName: application, ...context },
      });
      return flags.map(({ key, variant, value, metadata }) => {
        // Without a variant the protocol is told the state, and others `disabled`.
        const payload = typeof value === 'string' ? { type: 'string', value } : null;
        return [key, { enabled: metadata.enabled, variant: variant === 'enabled' ? 'disabled' : variant, payload }];
      });
    }),
};
