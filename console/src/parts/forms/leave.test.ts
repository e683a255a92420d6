// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from "vitest";

const asked: ((meant: unknown) => void)[] = [];
vi.mock("../confirm", () => ({ confirm: () => new Promise((resolve) => asked.push(resolve)) }));
const { leave } = await import("./leave");

const close = vi.fn();
beforeEach(() => {
  asked.length = 0;
  close.mockClear();
});

it("closes what is unchanged at once", () => {
  void leave(false, close);
  expect(close).toHaveBeenCalledOnce();
  expect(asked).toHaveLength(0);
});

it("asks once, however often the key is pressed, and again the next time", async () => {
  const first = leave(true, close);
  await leave(true, close);
  expect(asked).toHaveLength(1);
  asked[0]!(undefined);
  await first;
  expect(close).not.toHaveBeenCalled();
  const second = leave(true, close);
  asked[1]!({});
  await second;
  expect(close).toHaveBeenCalledOnce();
});
