// What a page tells of its own paints. Each function runs in the page, and stands alone.

/** Keeps what is painted, moved and blocked from the beginning on. */
export function watchPaints() {
  const seen = { largest: 0, shift: 0, blocked: 0 };
  window.paintsSeen = seen;
  const observe = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe("largest-contentful-paint", ({ startTime }) => (seen.largest = startTime));
  observe("layout-shift", ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value));
  // Of a task that takes long, what is over 50 ms keeps somebody waiting.
  observe("longtask", ({ duration }) => (seen.blocked += duration - 50));
}

/** Milliseconds until something, and until the largest thing, was painted; and by how much things moved. */
export function paints() {
  const [first] = performance.getEntriesByName("first-contentful-paint");
  const { largest, shift } = window.paintsSeen;
  return { first: first?.startTime ?? NaN, largest, shift };
}

/** For how many milliseconds the page did not react. */
export const blocked = () => window.paintsSeen.blocked;
