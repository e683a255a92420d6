// The programs of the ecosystem that are tried, each with the package that it tries.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const npm = JSON.parse(readFileSync(here('package.json'), 'utf8')).dependencies;
const pypi = Object.fromEntries(
  readFileSync(here('requirements.txt'), 'utf8').trim().split('\n').map((line) => line.split('==')),
);
const debian = execFileSync('dpkg-query', ['--show', '--showformat', '${Version}', 'ruby-unleash'], { encoding: 'utf8' });

const inNode = (name) => [process.execPath, here(`programs/${name}.mjs`)];
const inPython = (name) => [process.env.ECOSYSTEM_PYTHON, here('programs/ask.py'), name];

const applicationOf = ({ name }) => `ecosystem-${name.replace(/[@/]/g, '')}`;

/**
 * Each is of a registry and has a version. `reports` is the application under which its usage is counted, `false` where it
 * reports none; `differs` are answers of its own.
 */
export const programs = [
  { name: 'ruby-unleash', from: 'Debian', version: debian.replace(/-.*/, ''), command: ['ruby', here('programs/ask.rb')] },
  { name: '@unleash/proxy', from: 'npm', command: inNode('proxy'), reports: 'ecosystem-unleashproxy-server' },
  { name: '@unleash/nextjs', from: 'npm', command: inNode('nextjs') },
  { name: '@unleash/proxy-client-react', from: 'npm', command: inNode('react') },
  { name: '@unleash/proxy-client-vue', from: 'npm', command: inNode('vue') },
  { name: '@openfeature/ofrep-web-provider', from: 'npm', command: inNode('ofrep-web'), reports: false },
  {
    name: '@openfeature/unleash-web-provider',
    from: 'npm',
    command: inNode('unleash-web'),
    // It hands the text of a JSON payload on as it is.
    differs: { 'field.json for 7': '{"seats":[1,2]}' },
  },
  { name: 'openfeature-provider-ofrep', from: 'PyPI', command: inPython('ofrep'), reports: false },
  { name: 'unleash-openfeature-python-provider', from: 'PyPI', command: inPython('unleash') },
  { name: 'openfeature-provider-unleash', from: 'PyPI', command: inPython('community') },
].map((program) => ({
  version: { npm, PyPI: pypi }[program.from]?.[program.name],
  application: applicationOf(program),
  reports: applicationOf(program),
  ...program,
}));
