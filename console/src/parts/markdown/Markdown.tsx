import { Fragment, useMemo, type ReactNode } from "react";
import { inline, parse, type Block, type Inline } from "./parse";
import classes from "./Markdown.module.css";

/** A text in Markdown: links, emphasis, lists and code. Nothing in it is active, and no picture is fetched. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parse(text), [text]);
  return <div className={classes.text}>{blocks.map(blockOf)}</div>;
}

/** The same for one line, within another text. */
export function MarkdownLine({ text }: { text: string }) {
  const parts = useMemo(() => inline(text.replaceAll("\n", " ")), [text]);
  return <>{parts.map(partOf)}</>;
}

function blockOf(block: Block, at: number): ReactNode {
  if (block.kind === "code")
    return (
      <pre key={at} className="mono">
        {block.text}
      </pre>
    );
  if (block.kind === "text")
    return (
      <p key={at}>
        {block.lines.map((line, number) => (
          <Fragment key={number}>
            {number > 0 && <br />}
            {line.map(partOf)}
          </Fragment>
        ))}
      </p>
    );
  const List = block.isOrdered ? "ol" : "ul";
  return (
    <List key={at}>
      {block.items.map((words, number) => (
        <li key={number}>{words.map(partOf)}</li>
      ))}
    </List>
  );
}

function partOf(part: Inline, at: number): ReactNode {
  if (typeof part === "string") return part;
  if (part.kind === "code") return <code key={at}>{part.text}</code>;
  if (part.kind === "link")
    return (
      <a key={at} href={part.to} target="_blank" rel="noopener noreferrer nofollow">
        {part.inner.map(partOf)}
      </a>
    );
  const Mark = part.kind;
  return <Mark key={at}>{part.inner.map(partOf)}</Mark>;
}
