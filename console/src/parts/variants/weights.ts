import type { Schemas } from "../../api/request";

export type Variant = Schemas["FeatureVariant"];

/** "blue 50 %, green 50 %". */
export const sharesInWords = (variants: readonly Pick<Variant, "name" | "weight">[], separator = ", ") =>
  variants.map(({ name, weight }) => `${name || "(no name)"} ${weight / 10} %`).join(separator);

/** Weights are thousandths. Fixed ones stay; the others share evenly what is left, as the server does it. */
export function shared<V extends Variant>(variants: readonly V[]): V[] {
  const fixed = variants.filter(({ weightType }) => weightType === "fix");
  const others = variants.length - fixed.length;
  const left = Math.max(0, 1000 - fixed.reduce((sum, { weight }) => sum + weight, 0));
  let given = 0;
  return variants.map((variant) => {
    if (variant.weightType === "fix") return variant;
    const extra = given < left % others ? 1 : 0;
    given += 1;
    return { ...variant, weight: Math.floor(left / others) + extra };
  });
}

/** Why these cannot be saved. */
export function objections(variants: readonly Variant[]): string[] {
  const found: string[] = [];
  const names = variants.map(({ name }) => name.trim());
  if (names.some((name) => name === "")) found.push("A variant has no name.");
  const twice = names.find((name, at) => name !== "" && names.indexOf(name) !== at);
  if (twice) found.push(`Two variants are called ${twice}.`);
  const fixed = variants.filter(({ weightType }) => weightType === "fix").reduce((sum, { weight }) => sum + weight, 0);
  const all = variants.every(({ weightType }) => weightType === "fix");
  if (variants.length > 0 && all && fixed !== 1000)
    found.push(`Fixed weights add up to ${fixed / 10} % and must be 100 %, or let one share the rest.`);
  if (!all && fixed > 1000) found.push(`Fixed weights add up to ${fixed / 10} %: that is more than there is.`);
  for (const { name, payload } of variants) {
    if (payload?.type === "json" && !isJson(payload.value)) found.push(`The payload of ${name} is no JSON.`);
    if (payload?.type === "number" && (payload.value.trim() === "" || Number.isNaN(Number(payload.value))))
      found.push(`The payload of ${name} is no number.`);
  }
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
