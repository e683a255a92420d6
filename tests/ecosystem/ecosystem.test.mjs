// Programs that others publish for servers of this API, unmodified: each asks the real program about the same features,
// learns of a change, and has its usage counted.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Admin } from '../libraries/admin.mjs';
import { Program } from '../libraries/program.mjs';
import { programs } from './programs.mjs';
import { answers, counted, make, move } from './world.mjs';

const { FLAGSTONE_URL, FLAGSTONE_ADMIN_TOKEN, FLAGSTONE_CLIENT_TOKEN, FLAGSTONE_FRONTEND_TOKEN, REPOSITORY, SCRATCH } = process.env;
const admin = new Admin(FLAGSTONE_URL, FLAGSTONE_ADMIN_TOKEN);
const running = new Map();

before(async () => {
  await make(admin);
  for (const { name, command, application } of programs) {
    const environment = {
      ECOSYSTEM_URL: FLAGSTONE_URL,
      ECOSYSTEM_CLIENT_TOKEN: FLAGSTONE_CLIENT_TOKEN,
      ECOSYSTEM_FRONTEND_TOKEN: FLAGSTONE_FRONTEND_TOKEN,
      ECOSYSTEM_APPLICATION: application,
      ECOSYSTEM_DIRECTORY: mkdtempSync(path.join(SCRATCH, 'program.')),
      PYTHONDONTWRITEBYTECODE: '1',
    };
    running.set(name, new Program(command, environment));
  }
});

after(() => running.forEach((program) => program.kill()));

for (const { name, differs } of programs) {
  test(`${name} answers as the server does`, async () => {
    const program = running.get(name);
    await program.said('asked', 60);
    const got = Object.fromEntries([...program.answers].map(([question, { value }]) => [question, value]));
    assert.deepEqual(got, { ...answers, ...differs }, program.complaints);
  });
}

test('the feature moves', () => move(admin));

for (const { name, reports } of programs) {
  test(`${name} learns of a change while it runs, ends by itself, and has its usage counted`, async () => {
    const program = running.get(name);
    await program.said('arrived', 60);
    assert.equal(await program.dismiss(30), undefined, program.complaints);
    if (!reports) return;
    for (let tries = 0; ; tries++) {
      const sums = await counted(admin, 'field.everyone');
      if (sums.get(reports)?.[0] >= 1) return;
      assert.ok(tries < 40, `of ${reports} nothing is counted, only of ${[...sums.keys()]}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
}

test('docs/compatibility.md lists what is tried here and in tests/libraries, in these versions', () => {
  const read = (file) => readFileSync(path.join(REPOSITORY, file), 'utf8');
  const npm = JSON.parse(read('tests/libraries/package.json')).dependencies;
  const libraries = [
    ...['unleash-client', 'unleash-proxy-client', '@openfeature/ofrep-provider'].map((name) => ({ name, from: 'npm', version: npm[name] })),
    { name: 'UnleashClient', from: 'PyPI', version: read('tests/libraries/requirements.txt').match(/^UnleashClient==(.+)$/m)[1] },
    {
      name: 'unleash-api-client',
      from: 'crates.io',
      version: read('tests/libraries/rust/Cargo.toml').match(/^unleash-api-client = \{ version = "=(.+?)"/m)[1],
    },
  ];
  const rows = [...read('docs/compatibility.md').matchAll(/^\| ((?:npm|PyPI|Debian|crates\.io) `\S+`) \| (\S+) \|/gm)];
  const listed = rows.map(([, name, version]) => `${name} ${version}`).sort();
  const tried = [...libraries, ...programs].map(({ name, from, version }) => `${from} \`${name}\` ${version}`).sort();
  assert.deepEqual(listed, tried);
});
