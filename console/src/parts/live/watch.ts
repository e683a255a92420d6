const second = 1000;

/** Fifteen times a minute while somebody is there, four times once nobody did anything for a while. */
const quick = 4 * second;
const slow = 15 * second;
const patience = 180 * second;

const signs = ["pointermove", "pointerdown", "keydown", "wheel"] as const;

/** Asks again and again as long as the page is seen. Gives what ends it. */
export function watch(ask: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let active = performance.now();
  let isAsking = false;
  let isOver = false;

  async function run() {
    clearTimeout(timer);
    if (isAsking || isOver || document.hidden) return;
    isAsking = true;
    try {
      await ask();
    } catch {
      // What is shown tells itself when the server is away.
    }
    isAsking = false;
    if (!isOver && !document.hidden) timer = setTimeout(() => void run(), isIdle() ? slow : quick);
  }

  const isIdle = () => performance.now() - active > patience;
  const onSign = () => {
    const wasIdle = isIdle();
    active = performance.now();
    if (wasIdle) void run();
  };
  const onSeen = () => {
    active = performance.now();
    void run();
  };

  for (const sign of signs) document.addEventListener(sign, onSign, { passive: true });
  document.addEventListener("visibilitychange", onSeen);
  void run();
  return () => {
    isOver = true;
    clearTimeout(timer);
    for (const sign of signs) document.removeEventListener(sign, onSign);
    document.removeEventListener("visibilitychange", onSeen);
  };
}
