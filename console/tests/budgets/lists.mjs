// How long lists of many flags hold somebody up.
import { projects, total } from "./data.mjs";

/** Scrolls through the answers of the playground for all flags, and gives the frames that were drawn meanwhile. */
export async function scrolled(page, open) {
  const query = projects.map((id) => `project=${id}`).join("&");
  await open(page, { path: () => `/playground?${query}&environment=production&userId=1` });
  await page.waitForFunction((total) => document.querySelector(`[aria-rowcount="${total + 1}"]`), total);
  return page.evaluate(
    (total) =>
      new Promise((resolve) => {
        const table = document.querySelector(`[aria-rowcount="${total + 1}"]`);
        let area = table;
        while (area.scrollHeight <= area.clientHeight || getComputedStyle(area).overflowY === "visible")
          area = area.parentElement ?? document.scrollingElement;
        const frames = [];
        let before = performance.now();
        let mostRows = 0;
        const step = (area.scrollHeight - area.clientHeight) / 300;
        const next = (now) => {
          frames.push(now - before);
          before = now;
          mostRows = Math.max(mostRows, table.querySelectorAll("tbody tr").length);
          area.scrollTop += step;
          if (frames.length < 300) requestAnimationFrame(next);
          else {
            const sum = frames.reduce((all, one) => all + one, 0);
            resolve({ worst: Math.max(...frames), perSecond: (frames.length * 1000) / sum, rows: mostRows });
          }
        };
        requestAnimationFrame(next);
      }),
    total,
  );
}

/** Milliseconds of a search as it is typed, of the selection of all flags and of the preview of a change of them. */
export async function bulk(page, open) {
  await open(page, { path: () => "/features?query=many-" });
  const rows = await page.evaluate(() => {
    const [row] = document.querySelectorAll("tbody tr[data-index]");
    return { height: row.getBoundingClientRect().height, seen: visible() };
    function visible() {
      return [...document.querySelectorAll("tbody tr[data-index]")].filter((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }).length;
    }
  });
  const took = async (act) => {
    const began = performance.now();
    await act();
    return performance.now() - began;
  };
  const searched = await took(async () => {
    await page.getByRole("searchbox").first().fill("many-3-flag-4");
    await page.waitForFunction(
      () =>
        !document.querySelector("[data-dimmed], [aria-busy=true]") &&
        [...document.querySelectorAll("tbody tr[data-index]")].every((one) =>
          one.textContent.includes("many-3-flag-4"),
        ),
    );
  });
  await open(page, { path: () => "/features?query=many-" });
  const selected = await took(async () => {
    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await page.getByRole("button", { name: /^Select all .* that fit$/ }).click();
    await page.getByText(/^3,000 selected$/).waitFor();
  });
  await page.getByRole("button", { name: "Change them …" }).click();
  const previewed = await took(async () => {
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page
      .getByRole("dialog")
      .getByText(/\d can be archived|\d flags will be archived/)
      .first()
      .waitFor();
  });
  return { rows, searched, selected, previewed };
}
