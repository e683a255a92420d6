import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState, type RefObject } from "react";

interface Props {
  value: string;
  onChange: (value: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** The text that is looked for while it is typed. */
export function Words({ value, onChange, inputRef }: Props) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [sent, setSent] = useState<readonly string[]>([]);
  if (known !== value) {
    setKnown(value);
    // What was sent comes back through the address while more is typed. Else it changed by other means: by "back", or a
    // filter taken away.
    if (sent.includes(value)) setSent(sent.slice(sent.indexOf(value) + 1));
    else setText(value);
  }
  const later = useDebouncedCallback((query: string) => {
    if (query !== value) setSent((before) => [...before, query]);
    onChange(query);
  }, 50);
  useEffect(() => () => later.cancel(), [later]);
  return (
    <TextInput
      ref={inputRef}
      type="search"
      size="xs"
      w={260}
      aria-label="Part of the name, or of a tag"
      placeholder="Part of the name, or of a tag ( / )"
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      maxLength={1000}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
    />
  );
}
