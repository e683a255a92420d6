// Responses that cost their sender little: a signed one of a provider, with `bytes` of something put where nothing is
// signed, or where the signature covers it, so that the server has to bring it into its canonical form to refuse it.
const repeated = (count, piece) => Array.from({ length: count }, (_, number) => piece(number)).join("");

// What is put there, and how often, so that it takes up to `bytes`.
const kinds = [
  ["text", 1, () => "b"],
  ["references", 5, () => "&lt;"],
  ["empty elements", 4, () => "<a/>"],
  ["elements with text", 8, () => "<a>b</a>"],
  ["elements with prefixes", 34, () => '<x:a xmlns:x="urn:u" x:b=""></x:a>'],
  ["tags with 99 attributes", 700, () => `<a ${repeated(99, (n) => `a${n}="" `)}/>`],
  ["tags with eight attributes", 52, () => `<a ${[..."hgfedcba"].map((name) => `${name}="" `).join("")}/>`],
  ["tags with two namespaces", 40, () => '<a xmlns="urn:a" xmlns:x="urn:x" x:y=""/>'],
  ["tags without a namespace", 15, () => '<a xmlns=""/>'],
  ["namespaces", 24, (n) => `<a xmlns:b="urn:${String(n).padStart(6, "0")}"/>`],
  ["the same namespace", 20, () => '<a xmlns:b="urn:u"/>'],
  ["identifiers", 16, (n) => `<a ID="a${String(n).padStart(6, "0")}"/>`],
  ["levels", 7, () => "<a>"],
  ["open tags", 1, () => "<"],
  ["closing tags", 4, () => "</a>"],
];
const whole = [
  ["attributes of one tag", 11, (n) => `a${String(n).padStart(6, "0")}="" `],
  ["namespaces of one tag", 24, (n) => `xmlns:a${String(n).padStart(6, "0")}="urn:u" `],
  ["quotation marks", 1, () => '"'],
  ["equal signs", 1, () => "="],
];

export function hostile(signed, bytes) {
  const room = bytes - signed.length - 100;
  const fill = ([name, each, piece]) => [name, repeated(Math.floor(room / each), piece)];
  const all = [...kinds.map(fill), ...whole.map(fill).map(([name, text]) => [name, `<a ${text}/>`])];
  all.push(["a long name", `<${"a".repeat(room)}/>`], ["a long value", `<a b="${"\n".repeat(room)}"/>`]);
  const put = (before) => ([name, text]) => {
    const at = signed.indexOf(before);
    if (at < 0) throw new Error(`there is no ${before} in ${signed}`);
    return [`${name} before ${before}`, signed.slice(0, at) + text + signed.slice(at)];
  };
  return ["<samlp:Status>", "<saml:AttributeStatement"].flatMap((before) => all.map(put(before)));
}
