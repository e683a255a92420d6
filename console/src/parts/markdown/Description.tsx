import { Button } from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";
import { Markdown } from "./Markdown";
import classes from "./Markdown.module.css";

/** What a thing is for, in Markdown. A long one is folded until the reader wants all of it. */
export function Description({ text }: { text: string }) {
  const shown = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = shown.current;
    if (!element) return;
    const measure = () => setLong((before) => before || element.scrollHeight > element.clientHeight + 1);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [text]);
  return (
    <div>
      <div ref={shown} className={isOpen ? undefined : classes.folded}>
        <Markdown text={text} />
      </div>
      {isLong && (
        <Button variant="default" size="compact-xs" mt={4} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Less" : "More …"}
        </Button>
      )}
    </div>
  );
}
