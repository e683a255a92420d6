/** A picture as a file of its own: what a figure shows on the screen, drawn as SVG without anything to press. */

const left = "button, input, details, .visually-hidden";
const space = 16;
const drawn = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "fill-opacity", "opacity"];
const svg = "http://www.w3.org/2000/svg";

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The figure as the text of an SVG file, with the colours and fonts that it has now. */
export function pictureOf(figure: HTMLElement): { text: string; width: number; height: number } {
  const origin = figure.getBoundingClientRect();
  const picture = document.createElementNS(svg, "svg");
  const at = (box: Box): Box => ({
    left: box.left - origin.left + space,
    top: box.top - origin.top + space,
    width: box.width,
    height: box.height,
  });
  let bottom = 0;
  const add = (node: SVGElement, box: Box) => {
    bottom = Math.max(bottom, box.top + box.height);
    picture.append(node);
  };

  function visit(node: Node) {
    if (node instanceof Text)
      return lines(node).forEach(({ text, box }) => add(lettered(text, at(box), node), at(box)));
    if (!(node instanceof Element) || node.matches(left)) return;
    if (node instanceof SVGSVGElement)
      return add(copied(node, at(node.getBoundingClientRect())), at(node.getBoundingClientRect()));
    const { backgroundColor } = getComputedStyle(node);
    const box = at(node.getBoundingClientRect());
    if (node !== figure && !/^(transparent|rgba\(0, 0, 0, 0\))$/.test(backgroundColor))
      add(
        shaped("rect", { x: box.left, y: box.top, width: box.width, height: box.height, fill: backgroundColor }),
        box,
      );
    node.childNodes.forEach(visit);
  }
  visit(figure);

  const width = Math.ceil(origin.width + 2 * space);
  const height = Math.ceil(bottom + 2 * space);
  const { backgroundColor } = getComputedStyle(figure);
  picture.prepend(shaped("rect", { width, height, fill: backgroundColor }));
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    picture.setAttribute(name, String(value));
  return { text: new XMLSerializer().serializeToString(picture), width, height };
}

function shaped(name: string, attributes: Record<string, string | number>): SVGElement {
  const shape = document.createElementNS(svg, name);
  for (const [attribute, value] of Object.entries(attributes)) shape.setAttribute(attribute, String(value));
  return shape;
}

/** What is drawn already, with its colours written down. */
function copied(original: SVGSVGElement, box: Box): SVGElement {
  const copy = original.cloneNode(true) as SVGSVGElement;
  const parts = original.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((part, at) => {
    const style = getComputedStyle(parts[at]!);
    for (const name of drawn) if (part.hasAttribute(name)) part.setAttribute(name, style.getPropertyValue(name));
  });
  for (const [name, value] of Object.entries({ x: box.left, y: box.top, width: box.width, height: box.height }))
    copy.setAttribute(name, String(value));
  copy.setAttribute("overflow", "visible");
  return copy;
}

function lettered(text: string, box: Box, node: Text): SVGElement {
  const { color, fontFamily, fontSize, fontWeight } = getComputedStyle(node.parentElement!);
  const shape = shaped("text", {
    x: box.left,
    y: box.top + box.height * 0.76,
    fill: color,
    "font-family": fontFamily,
    "font-size": fontSize,
    "font-weight": fontWeight,
  });
  shape.textContent = text;
  return shape;
}

/** The lines that a text is broken into. */
function lines(node: Text): { text: string; box: Box }[] {
  const found: { text: string; box: DOMRect }[] = [];
  const range = document.createRange();
  for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.trimEnd().length);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const line = found.at(-1);
    if (line && Math.abs(line.box.top - box.top) < 2) line.text += word;
    else found.push({ text: word, box });
  }
  return found;
}

/** The same as a bitmap, twice as fine as the screen. */
export async function bitmapOf({ text, width, height }: ReturnType<typeof pictureOf>): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("This browser draws no bitmaps."))), "image/png"),
  );
}
