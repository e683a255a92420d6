/** A part of a line: text, or text that is marked. */
export type Inline =
  | string
  | { kind: "strong" | "em" | "del"; inner: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "link"; to: string; inner: Inline[] };

/** A part of a text: each line of a paragraph is one of its own. */
export type Block =
  | { kind: "text"; lines: Inline[][] }
  | { kind: "list"; isOrdered: boolean; items: Inline[][] }
  | { kind: "code"; text: string };

/** Addresses that a click may lead to: nothing that runs, and nothing of this computer. */
export function safeAddress(text: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)[^\s<>"]+$/i.test(text)) return undefined;
  try {
    return new URL(text).href;
  } catch {
    return undefined;
  }
}

interface Rule {
  find: RegExp;
  make: (found: RegExpExecArray, isInLink: boolean) => Inline | undefined;
}

/** In this order, at the first place where one is found. What is in code is not looked at. */
const rules: readonly Rule[] = [
  { find: /`([^`\n]+)`/, make: ([, text = ""]) => ({ kind: "code", text }) },
  {
    find: /!?\[([^\][\n]+)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)/,
    make: ([whole, text = "", address = ""], isInLink) => {
      const to = safeAddress(address);
      // Of a picture its name is shown, and no picture.
      if (!to || isInLink || whole.startsWith("!")) return whole.startsWith("!") ? text : undefined;
      return { kind: "link", to, inner: inline(text, true) };
    },
  },
  {
    find: /(?<![\w/])https?:\/\/[^\s<>"'`]*[\w/=#&-]/i,
    make: ([address], isInLink) => {
      const to = isInLink ? undefined : safeAddress(address);
      return to && { kind: "link", to, inner: [address] };
    },
  },
  {
    find: /\*\*(?=\S)([^\n]+?)(?<=\S)\*\*(?!\*)/,
    make: ([, text = ""], isIn) => ({ kind: "strong", inner: inline(text, isIn) }),
  },
  { find: /~~(?=\S)([^\n]+?)(?<=\S)~~/, make: ([, text = ""], isIn) => ({ kind: "del", inner: inline(text, isIn) }) },
  {
    find: /\*(?=[^\s*])([^*\n]+?)(?<=\S)\*/,
    make: ([, text = ""], isIn) => ({ kind: "em", inner: inline(text, isIn) }),
  },
  {
    find: /(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)/,
    make: ([, text = ""], isIn) => ({ kind: "em", inner: inline(text, isIn) }),
  },
];

/** What is marked in one line. */
export function inline(line: string, isInLink = false): Inline[] {
  const found: Inline[] = [];
  const say = (part: Inline) => {
    const last = found.length - 1;
    if (typeof part === "string" && typeof found[last] === "string") found[last] += part;
    else if (part !== "") found.push(part);
  };
  let rest = line;
  while (rest !== "") {
    const hits = rules.flatMap((rule) => {
      const hit = rule.find.exec(rest);
      return hit ? [{ rule, hit }] : [];
    });
    const next = hits.reduce<(typeof hits)[number] | undefined>(
      (one, other) => (one && one.hit.index <= other.hit.index ? one : other),
      undefined,
    );
    if (!next) {
      say(rest);
      break;
    }
    const { rule, hit } = next;
    say(rest.slice(0, hit.index));
    say(rule.make(hit, isInLink) ?? hit[0]);
    rest = rest.slice(hit.index + hit[0].length);
  }
  return found;
}

const item = /^\s{0,3}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;

/** A text in Markdown as what can be shown: paragraphs, lists and code. All else is text as it was written. */
export function parse(text: string): Block[] {
  const blocks: Block[] = [];
  let isAfterGap = true;
  let fenced: string[] | undefined;
  for (const line of text.replace(/\r\n?/g, "\n").split("\n")) {
    const last = blocks.at(-1);
    if (/^\s*```/.test(line)) {
      if (fenced) blocks.push({ kind: "code", text: fenced.join("\n") });
      fenced = fenced ? undefined : [];
      isAfterGap = true;
      continue;
    }
    if (fenced) {
      fenced.push(line);
      continue;
    }
    const found = item.exec(line);
    if (line.trim() === "") {
      isAfterGap = true;
      continue;
    }
    if (found) {
      const isOrdered = found[1] !== undefined;
      const words = inline(found[2] ?? "");
      if (last?.kind === "list" && last.isOrdered === isOrdered) last.items.push(words);
      else blocks.push({ kind: "list", isOrdered, items: [words] });
    } else {
      const words = inline(line.replace(/^\s{0,3}#{1,6}\s+(.*)$/, "**$1**").trim());
      if (last?.kind === "text" && !isAfterGap) last.lines.push(words);
      else if (last?.kind === "list" && !isAfterGap) last.items.at(-1)?.push(" ", ...words);
      else blocks.push({ kind: "text", lines: [words] });
    }
    isAfterGap = false;
  }
  // A fence that is not closed holds all that follows.
  if (fenced) blocks.push({ kind: "code", text: fenced.join("\n") });
  return blocks;
}
