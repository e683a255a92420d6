import { expect, it } from "vitest";
import { inline, parse, safeAddress, type Inline } from "./parse";

/** As it would be written in a page, so that it can be read here. */
const html = (parts: Inline[]): string =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.kind === "code") return `<code>${part.text}</code>`;
      if (part.kind === "link") return `<a ${part.to}>${html(part.inner)}</a>`;
      return `<${part.kind}>${html(part.inner)}</${part.kind}>`;
    })
    .join("");

it.each([
  ["until **Monday**", "until <strong>Monday</strong>"],
  ["*soon* and _now_", "<em>soon</em> and <em>now</em>"],
  ["**all of *it***", "<strong>all of <em>it</em></strong>"],
  ["~~old~~", "<del>old</del>"],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
  ["`**as it is**`", "<code>**as it is**</code>"],
  ["see [the **ticket**](https://t.example.com/7)", "see <a https://t.example.com/7>the <strong>ticket</strong></a>"],
  ["https://t.example.com/a_b_c.", "<a https://t.example.com/a_b_c>https://t.example.com/a_b_c</a>."],
  ["(https://t.example.com/x)", "(<a https://t.example.com/x>https://t.example.com/x</a>)"],
  ["[a](https://e.example.com/x_(y))", "<a https://e.example.com/x_(y)>a</a>"],
  ["write to [us](mailto:a@example.com)", "write to <a mailto:a@example.com>us</a>"],
  ["![a picture](https://t.example.com/x.png)", "a picture"],
  ["[x](javascript:alert(1))", "[x](javascript:alert(1))"],
  ["[x](data:text/html,y)", "[x](data:text/html,y)"],
  ["[x](//elsewhere.example.com)", "[x](//elsewhere.example.com)"],
  ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
  ["** not **", "** not **"],
])("reads %s", (text, shown) => {
  expect(html(inline(text))).toBe(shown);
});

it("puts no link into a link", () => {
  expect(html(inline("[https://a.example.com](https://b.example.com)"))).toBe(
    "<a https://b.example.com/>https://a.example.com</a>",
  );
});

it("reads paragraphs, lines, lists and code", () => {
  const blocks = parse("# Head\nfirst\nsecond\n\n- a\n- b\n  more\n\n1. one\n2) two\n\n```js\n**x**\n```\nend");
  expect(blocks.map(({ kind }) => kind)).toEqual(["text", "list", "list", "code", "text"]);
  expect(blocks[0]).toMatchObject({ lines: [[{ kind: "strong" }], ["first"], ["second"]] });
  expect(blocks[1]).toMatchObject({ isOrdered: false, items: [["a"], ["b", " ", "more"]] });
  expect(blocks[2]).toMatchObject({ isOrdered: true, items: [["one"], ["two"]] });
  expect(blocks[3]).toEqual({ kind: "code", text: "**x**" });
});

it("loses no letter of a text without marks, and keeps what is not closed", () => {
  expect(parse("a\r\nb")).toEqual([{ kind: "text", lines: [["a"], ["b"]] }]);
  expect(parse("```\nopen **to the end**")).toEqual([{ kind: "code", text: "open **to the end**" }]);
  expect(parse("")).toEqual([]);
});

it("is done in time with whatever is written", () => {
  const began = performance.now();
  for (const part of ["**", "[", "_a ", "`", "](", "https://", "*a", "~~a", "- "]) parse(part.repeat(3_000));
  expect(performance.now() - began).toBeLessThan(5_000);
});

it("lets nothing but web and mail addresses be followed", () => {
  expect(safeAddress("HTTPS://Example.com/a")).toBe("https://example.com/a");
  for (const text of ["javascript:alert(1)", "java\nscript:x", "file:///etc", "https://a b", "ftp://x", "/path"])
    expect(safeAddress(text)).toBeUndefined();
});
