// How much a tab asks that nobody touches.
const minute = 60_000;
const later = (page, milliseconds) => page.waitForTimeout(milliseconds);

/** Requests in a minute of a tab in sight, of one in sight that was left for three minutes, and of one out of sight. */
export async function idle({ context, page }, open) {
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const inOneMinute = async () => {
    const before = asked.length;
    await later(page, minute);
    return asked.length - before;
  };
  await open(page, { path: () => "/features" });
  const seen = await inOneMinute();
  await later(page, 2.2 * minute);
  const left = await inOneMinute();
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true });
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    for (const one of [document, window]) one.dispatchEvent(new Event("visibilitychange"));
  });
  await later(page, minute / 3);
  const hidden = await inOneMinute();
  await context.close();
  return { seen, left, hidden };
}
