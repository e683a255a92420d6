import { describe, expect, it } from "vitest";
import { charts, dark, light, type Palette } from "./palette";

function luminance(colour: string) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string) {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

const texts: [keyof Palette, keyof Palette][] = [
  ["text", "card"],
  ["text", "page"],
  ["text", "hover"],
  ["muted", "card"],
  ["muted", "page"],
  ["muted", "hover"],
  ["accent", "card"],
  ["accent", "page"],
  ["onAccent", "accent"],
  ["danger", "card"],
  ["warning", "card"],
  ["good", "card"],
  ["production", "productionTint"],
  ["text", "productionTint"],
  ["muted", "productionTint"],
];

describe.each([
  ["light", light],
  ["dark", dark],
] as const)("%s", (scheme, palette) => {
  it.each(texts)("%s can be read on %s", (text, ground) => {
    expect(contrast(palette[text], palette[ground])).toBeGreaterThanOrEqual(4.5);
  });

  it("draws edges of controls and lines of charts that can be seen", () => {
    for (const colour of [palette.edge, ...charts[scheme]]) {
      expect(contrast(colour, palette.card), colour).toBeGreaterThanOrEqual(3);
    }
  });
});
