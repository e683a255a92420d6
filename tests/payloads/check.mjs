// What integrations send, held against what the makers of their receivers publish: Slack by the types of its own
// packages, Teams by the parser of Adaptive Cards, Datadog by the models of its own client. Reads what the program makes
// of each kind of event, a JSON object on each line. What is wrong on purpose must be found out.

import { readFileSync } from 'node:fs';

import { cardComplaints } from './cards.mjs';
import { datadogComplaints } from './datadog.mjs';
import { typeComplaints } from './types.mjs';

// Bodies of each system: three events of each of 144 kinds.
const LEAST = 3 * 144;

const told = readFileSync(process.argv[2], 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const byTypes = {
  slack: { module: '@slack/webhook', type: 'IncomingWebhookSendArguments' },
  'slack-app': { module: '@slack/web-api', type: 'ChatPostMessageArguments' },
};
// How each body that is right becomes one that is not.
const broken = {
  slack: [
    ['a text that is a number', (body) => ({ ...body, text: 7 })],
    ['a property that there is not', (body) => ({ ...body, chanel: body.channel })],
    ['a button without its kind', (body) => ({ ...body, attachments: [{ actions: [{ text: 'Open' }] }] })],
  ],
  'slack-app': [
    ['no channel', ({ channel, ...body }) => body],
    ['a block that there is not', (body) => ({ ...body, blocks: [{ type: 'paragraph', text: 'x' }] })],
    ['a section without text', (body) => ({ ...body, blocks: [{ type: 'section', text: { type: 'mrkdwn' } }] })],
  ],
  teams: [
    ['an element that there is not', withCard((card) => ({ ...card, body: [{ type: 'Nothing' }, ...card.body] }))],
    ['an action that leads nowhere', withCard((card) => ({ ...card, actions: [{ type: 'Action.OpenUrl' }] }))],
    ['facts that are none', withCard((card) => ({ ...card, body: [card.body[0], { type: 'FactSet', facts: 'x' }] }))],
    ['something else than a card', withCard((card) => ({ ...card, type: 'MessageCard' }))],
    ['an attachment of another kind', withAttachment((one) => ({ ...one, contentType: 'text/plain' }))],
  ],
  datadog: [
    ['no title', ({ title, ...body }) => body],
    ['tags that are no list', (body) => ({ ...body, tags: { team: 'till' } })],
    ['a property that there is not', (body) => ({ ...body, source: 'flags' })],
  ],
};

function withAttachment(change) {
  return (body) => ({ ...body, attachments: body.attachments.map(change) });
}

function withCard(change) {
  return withAttachment((one) => ({ ...one, content: change(one.content) }));
}

const complaintsOf = {
  ...Object.fromEntries(Object.entries(byTypes).map(([name, it]) => [name, (bodies) => typeComplaints(it, bodies)])),
  teams: (bodies) => bodies.map(cardComplaints),
  datadog: (bodies) => bodies.map(datadogComplaints),
};

let passed = 0;
let failed = 0;
function check(claim, complaints) {
  if (complaints.length === 0) passed += 1;
  else {
    failed += 1;
    console.log(`FAILED ${claim}\n  ${complaints.slice(0, 20).join('\n  ')}`);
  }
}

for (const [name, complaints] of Object.entries(complaintsOf)) {
  const right = told.filter(({ provider }) => provider === name);
  check(`${name} is told of every kind of event`, right.length >= LEAST ? [] : [`${right.length} bodies`]);
  const wrong = broken[name].map(([what, change]) => ({ what, body: change(right[0].body) }));
  const found = complaints([...right, ...wrong].map(({ body }) => body));
  const ofRight = right.flatMap(({ kind }, at) => found[at].map((complaint) => `${kind}: ${complaint}`));
  check(`${name} takes every one`, ofRight);
  wrong.forEach(({ what }, at) => {
    check(`${name} does not take ${what}`, found[right.length + at].length > 0 ? [] : ['it was taken']);
  });
  console.log(`${name}: ${right.length} bodies held against what is published, and ${wrong.length} wrong ones`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
