// The cards that Teams shows, judged by the parser that Microsoft publishes for them.

// Its modules name each other as bundlers alone understand; this is all of it in one.
import cards from 'adaptivecards/dist/adaptivecards.js';

const { AdaptiveCard, SerializationContext, Version } = cards;

const MESSAGE = ['attachments', 'summary', 'type'];
const CARD = 'application/vnd.microsoft.card.adaptive';

/** What is wrong with a message: its shape, what the parser complains of, and what it would leave out. */
export function cardComplaints(body) {
  const attachment = body.attachments?.[0];
  const { type, version } = attachment?.content ?? {};
  const shape = [
    [Object.keys(body).sort().join() === MESSAGE.join() && body.type === 'message', 'it is no message'],
    [body.attachments?.length === 1 && attachment?.contentType === CARD, 'what is attached is no card'],
    [type === 'AdaptiveCard' && version === '1.4', 'it is no card of this version'],
  ];
  const misshapen = shape.filter(([is]) => !is).map(([, complaint]) => complaint);
  if (misshapen.length > 0) return misshapen;

  const given = attachment.content;
  const context = new SerializationContext(Version.v1_4);
  const card = new AdaptiveCard();
  card.parse(given, context);
  const events = Array.from({ length: context.eventCount }, (_, at) => context.getEventAt(at).message);
  const invalid = card.validateProperties().validationEvents.map(({ message }) => message);
  const read = card.toJSON(new SerializationContext(Version.v1_4));
  const lost = ['type', 'body', 'actions']
    .filter((part) => !isWithin(given[part], read[part]))
    .map((part) => `of ${part} it reads ${JSON.stringify(read[part])}`);
  return [...events, ...invalid, ...lost];
}

/** Whether everything that was given was read as it was. */
function isWithin(given, read) {
  if (given === null || typeof given !== 'object') return given === read;
  if (read === null || typeof read !== 'object' || Array.isArray(given) !== Array.isArray(read)) return false;
  return Object.keys(given).every((key) => isWithin(given[key], read[key]));
}
