import ts from "typescript";
import { expect, it } from "vitest";
import { nouns, verbs } from "./words";

const sources = import.meta.glob<string>("../**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** Files without texts of the console: generated ones, tests, programs to copy, and the words themselves. */
const without = /generated|\.test\.|\/sdks\/|(^|\/)words\.ts$|\.d\.ts$/;

/** Names of the API, addresses and types of events are no texts. */
const isForMachines = (text: string) =>
  !/[A-Za-z]/.test(text) ||
  /^[./?&#{]|^https?:|^[A-Z_]+:|\?\w+=|^\w+$(?<![A-Z]\w*)|^[a-z]+([A-Z]\w*)+$|^[\w.*-]+[-_.][\w.*-]+$/.test(
    text.trim(),
  );

/** Texts of a source: what stands between tags and in quotes. */
function* textsOf(name: string, source: string): Generator<string> {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const pending: ts.Node[] = [file];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) continue;
    if (ts.isJsxText(node)) yield node.text.trim();
    else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (!isForMachines(node.text)) yield node.text.trim();
    }
    ts.forEachChild(node, (child) => void pending.push(child));
  }
}

const texts = Object.entries(sources)
  .filter(([name]) => !without.test(name))
  .flatMap(([name, source]) => [...textsOf(name, source)].map((text) => `${text} (${name})`));

it("reads the texts of the console", () => {
  expect(texts.length).toBeGreaterThan(1500);
});

it.each([...nouns, ...verbs])("says “$say” and no other word for it", ({ not }) => {
  const found = texts.filter((line) =>
    not.some((word) => word.test(line.slice(0, line.lastIndexOf(" (")).replace(/\{\w+\}/g, ""))),
  );
  expect(found).toEqual([]);
});
