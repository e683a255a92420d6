// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from "vitest";

const load = async (head: string) => {
  document.head.innerHTML = head;
  vi.resetModules();
  return import("./session");
};

afterEach(() => {
  document.head.innerHTML = "";
});

it("knows that nobody is signed in where the page is marked so, until somebody is", async () => {
  const session = await load('<meta name="flagstone-session" content="none" />');
  expect(session.isNobody()).toBe(true);
  session.enterSession();
  expect(session.isNobody()).toBe(false);
});

it("knows nothing of a page without a mark", async () => {
  expect((await load("")).isNobody()).toBe(false);
});
