// Datadog's events, judged by the model that its own client has of them.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const models = '@datadog/datadog-api-client/dist/packages/datadog-api-client-v1/models';
const { ObjectSerializer } = require(`${models}/ObjectSerializer.js`);

/** What of an event the client cannot read, or does not know. */
export function datadogComplaints(body) {
  try {
    const read = ObjectSerializer.deserialize(body, 'EventCreateRequest', '');
    const unknown = Object.keys(read.additionalProperties ?? {}).map((name) => `it knows no ${name}`);
    return [...unknown, ...(read._unparsed ? ['it cannot read a part of it'] : [])];
  } catch (error) {
    return [error.message];
  }
}
