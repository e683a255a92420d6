// The tables of what was measured, beside what is asked.
const kilo = (bytes) => (bytes / 1000).toFixed(0);
const whole = (value) => value.toFixed(0);
const row = (cells) => `| ${cells.join(" | ")} |`;

/** Prints all budgets, and gives whether those are kept that do not depend on the pace of the machine. */
export function summary({ pages, scrolling, acts, asked }) {
  const rows = [];
  let isKept = true;
  const add = (what, value, limit, { isPace = false } = {}) => {
    const isWithin = limit === undefined || value.number <= limit;
    isKept &&= isWithin || isPace;
    rows.push([
      what,
      value.text,
      limit ?? "–",
      limit === undefined ? "" : isWithin ? "yes" : isPace ? "no (pace)" : "no",
    ]);
  };
  /** From the least to the greatest, and where the latter is. */
  const over = (of, write = whole, chosen = pages) => {
    const sorted = chosen.toSorted((one, other) => of(one) - of(other));
    const [least, greatest] = [sorted[0], sorted.at(-1)];
    return {
      number: Number(write(of(greatest))),
      text: `${write(of(least))}–${write(of(greatest))} (${greatest.name})`,
    };
  };
  const total = (of) => {
    const number = pages.reduce((sum, page) => sum + of(page), 0);
    const where = pages.filter((page) => of(page) > 0).map(({ name }) => name);
    return { number, text: number ? `${number} (${where.join(", ")})` : "0" };
  };
  const one = (number, text = whole(number)) => ({ number, text });

  add(
    "First load of a page over the wire, nothing cached, kB",
    over(({ bytes }) => bytes, kilo),
    350,
  );
  add(
    "Requests",
    over(({ requests }) => requests),
  );
  add(
    "Of them to the API",
    over(({ calls }) => calls),
  );
  add(
    "First contentful paint, ms",
    over(({ first }) => first),
    300,
    { isPace: true },
  );
  add(
    "Largest contentful paint, ms",
    over(({ largest }) => largest),
    1500,
    { isPace: true },
  );
  const hundredths = (value) => value.toFixed(3);
  add(
    "Layout shift, the greater of both paces",
    over(({ shift }) => shift, hundredths),
    0.05,
  );
  const slow = "4 × slower processor, 1.6 Mbit/s and 150 ms";
  add(
    `${slow}: first contentful paint, ms`,
    over(({ slow: { first } }) => first),
    1000,
    { isPace: true },
  );
  add(
    `${slow}: largest contentful paint, ms`,
    over(({ slow: { largest } }) => largest),
  );
  add(
    `${slow}: blocked, ms`,
    over(({ slow: { blocked } }) => blocked),
  );
  add(
    "Findings of axe, both themes",
    total(({ axe }) => axe),
    0,
  );
  add(
    "Pages wider than 390 px",
    total(({ wider }) => (wider > 0 ? 1 : 0)),
    0,
  );
  add(
    "Errors on the console",
    total(({ errors }) => errors.length),
    0,
  );
  add(
    "Elements",
    over(({ elements }) => elements),
    2000,
  );
  add("Search as typed, ms", one(acts.searched), 300, { isPace: true });
  add("Selecting 3,000 flags, ms", one(acts.selected));
  add("Preview of archiving them, ms", one(acts.previewed));
  add("Longest frame while scrolling 3,000 rows, ms", one(scrolling.worst), 100, { isPace: true });
  add("Frames a second meanwhile, without a GPU", one(scrolling.perSecond));
  add("Rows drawn meanwhile, at most", one(scrolling.rows), 60);
  add("Height of a row of flags at 1280 px, px", one(acts.rows.height), 36);
  add("Rows of flags in sight at 1280 × 900", one(acts.rows.seen));
  if (asked) {
    add("Requests a minute of a tab in sight", one(asked.seen), 20);
    add("After three minutes without a hand", one(asked.left), 8);
    add("Of a tab out of sight", one(asked.hidden), 0);
  }
  console.log(`${pages.length} pages, each loaded by a browser that was never there.\n`);
  console.log([row(["Budget", "Measured", "Asked", "Kept"]), "|---|---|--:|---|", ...rows.map(row)].join("\n"));
  return isKept;
}

/** Prints what was measured of each page. */
export function pageTable(pages) {
  const columns = {
    Page: ({ name }) => name,
    kB: ({ bytes }) => kilo(bytes),
    Requests: ({ requests }) => requests,
    API: ({ calls }) => calls,
    "First, ms": ({ first }) => whole(first),
    "Largest, ms": ({ largest }) => whole(largest),
    Shift: ({ shift }) => shift.toFixed(3),
    "Slow: first": ({ slow }) => whole(slow.first),
    largest: ({ slow }) => whole(slow.largest),
    blocked: ({ slow }) => whole(slow.blocked),
    axe: ({ axe }) => axe,
    Errors: ({ errors }) => errors.length,
    Elements: ({ elements }) => elements,
  };
  const heads = Object.keys(columns);
  console.log(`\n${row(heads)}\n|---|${"--:|".repeat(heads.length - 1)}`);
  for (const page of pages) console.log(row(Object.values(columns).map((cell) => cell(page))));
  const errors = pages.flatMap(({ name, errors }) => errors.map((text) => `${name}: ${text}`));
  if (errors.length) console.log(`\n${errors.join("\n")}`);
}
