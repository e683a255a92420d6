// What the server gives after a file was moved in, as the field's own library for Node judges it.

import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

import library from 'unleash-client/lib/client.js';
import strategies from 'unleash-client/lib/strategy/index.js';

const { FLAGSTONE_BINARY, VENDORS_SCRATCH } = process.env;
const token = '*:production.tests-client-of-vendors';

/** Moves a file in and answers what clients are told, with everything that the report tells. */
export async function moveIn(name, format, file) {
  const database = `sqlite://${path.join(VENDORS_SCRATCH, `${name}.db`)}`;
  const report = path.join(VENDORS_SCRATCH, `${name}.json`);
  const given = ['move-in', '--from', file, '--format', format, '--environment', 'production'];
  await promisify(execFile)(FLAGSTONE_BINARY, [...given, '--database-url', database, '--report', report]);
  const { findings } = JSON.parse(readFileSync(report, 'utf8'));
  return { answer: await clientFeatures(database), findings };
}

async function clientFeatures(database) {
  const port = await freePort();
  const env = { ...process.env, DATABASE_URL: database, FLAGSTONE_LISTEN: `127.0.0.1:${port}`, RUST_LOG: 'warn' };
  const server = spawn(FLAGSTONE_BINARY, [], { env: { ...env, INIT_CLIENT_API_TOKENS: token }, stdio: 'ignore' });
  try {
    for (let attempt = 0; ; attempt += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/api/client/features`, { headers: { authorization: token } })
        .catch((error) => {
          if (attempt > 2400 || server.exitCode !== null) throw error;
        });
      if (response?.ok) return await response.json();
      if (response) throw new Error(`the server answers ${response.status}: ${await response.text()}`);
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
  } finally {
    server.kill();
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Judges features: what somebody gets is undefined where it is off, else a value, or true where there is none. */
export class Ours {
  constructor(answer) {
    this.features = new Map(answer.features.map((feature) => [feature.name, feature]));
    const segments = new Map((answer.segments ?? []).map((segment) => [segment.id, segment]));
    const repository = { getToggle: (name) => this.features.get(name), getSegment: (id) => segments.get(id), on() {} };
    this.client = new library.default(repository, strategies.defaultStrategies);
  }

  gets(name, { user, fields }) {
    const properties = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, String(value)]));
    const context = { userId: user, properties };
    if (!this.client.isEnabled(name, context, () => false)) return undefined;
    const { payload } = this.client.getVariant(name, context);
    return payload ? payload.value : true;
  }
}
