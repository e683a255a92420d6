// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watch } from "./watch";

const minute = 60_000;
let asked = 0;
let stop: () => void;

const ask = () => {
  asked += 1;
  return Promise.resolve();
};
const during = async (time: number) => {
  asked = 0;
  await vi.advanceTimersByTimeAsync(time);
  return asked;
};
const become = (hidden: boolean) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
};

beforeEach(() => {
  vi.useFakeTimers();
  become(false);
  stop = watch(ask);
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

it("asks fifteen times a minute while somebody is there, four times when nobody is", async () => {
  expect(await during(minute)).toBe(15);
  await during(3 * minute);
  expect(await during(minute)).toBe(4);
  document.dispatchEvent(new Event("pointermove"));
  expect(await during(minute)).toBe(15);
});

it("asks nothing while the page is hidden, and at once when it is seen again", async () => {
  await during(minute);
  become(true);
  expect(await during(10 * minute)).toBe(0);
  become(false);
  expect(asked).toBe(1);
  expect(await during(minute)).toBe(15);
});

it("goes on after a failure, and ends for good", async () => {
  stop();
  asked = 0;
  stop = watch(() => {
    asked += 1;
    return Promise.reject(new Error("away"));
  });
  expect(await during(minute)).toBe(15);
  stop();
  become(true);
  become(false);
  expect(await during(minute)).toBe(0);
});
