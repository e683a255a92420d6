import { Button, Group } from "@mantine/core";
import type { RefObject } from "react";
import { save, saveAs, saveAsCsv } from "../csv";
import { tellFailure } from "../notices";
import { bitmapOf, pictureOf } from "./picture";

interface Props {
  figure: RefObject<HTMLElement | null>;
  finding: string;
  file: string;
  rows: (string | number)[][];
}

/** The rows of a picture, and the picture itself, as files that never leave the browser. */
export function SaveAs({ figure, finding, file, rows }: Props) {
  const picture = () => pictureOf(figure.current!);
  const kinds: [string, () => void][] = [
    ["CSV", () => saveAsCsv(file, rows)],
    ["SVG", () => saveAs(`${file}.svg`, "image/svg+xml", picture().text)],
    ["PNG", () => void bitmapOf(picture()).then((blob) => save(`${file}.png`, blob), tellFailure)],
  ];
  return (
    <Group gap={4} wrap="nowrap">
      {kinds.map(([kind, run]) => (
        <Button key={kind} variant="default" size="compact-xs" aria-label={`Save as ${kind}: ${finding}`} onClick={run}>
          {kind}
        </Button>
      ))}
    </Group>
  );
}
