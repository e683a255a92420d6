// The pictures of docs/console.md.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPictured, visitor } from "./chromium.mjs";

const pictures = join(process.env.PICTURES, "guide");

/** Takes a picture for the document, where pictures are wanted. */
export async function picture(page, name) {
  // A switch is busy for as long as it asks.
  await page.waitForFunction(() => !document.querySelector("[role=status][aria-busy=true]"));
  if (!isPictured) return;
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 70 });
  await mkdir(pictures, { recursive: true });
  await writeFile(join(pictures, `${name}.webp`), Buffer.from(data, "base64"));
}

/** Somebody whose screen has the size of these pictures. */
export const pictured = (as) => visitor({ as, size: { width: 1200, height: 720 } });
