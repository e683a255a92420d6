// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from "vitest";
import { send } from "./client";
import { ownChange } from "./own-changes";
import { keyOf, queryClient, readWithOwnChanges } from "./queries";
import { request } from "./request";

vi.mock("./client", async (actual) => ({ ...(await actual()), send: vi.fn() }));

const read = request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
  params: { path: { projectId: "shop", featureName: "checkout" } },
});
const versionOf = (version: string) => ({ data: { name: "checkout" }, version });

beforeEach(() => {
  vi.mocked(send).mockReset();
  queryClient.setQueryData(keyOf(read), versionOf("1"));
});

it("has the version after a change of the person that is not answered yet", async () => {
  vi.mocked(send).mockResolvedValue(versionOf("2"));
  let answer: (given: string) => void = () => undefined;
  const made = ownChange(new Promise<string>((resolve) => (answer = resolve)));
  const found = readWithOwnChanges(read);
  await Promise.resolve();
  expect(send).not.toHaveBeenCalled();
  answer("done");
  expect(await made).toBe("done");
  expect((await found).version).toBe("2");
  // It is what the page shows from then on.
  expect(queryClient.getQueryData(keyOf(read))).toEqual(versionOf("2"));
});

it("has the version after a change that the page has not read", async () => {
  vi.mocked(send).mockResolvedValue(versionOf("2"));
  await ownChange(Promise.reject(new Error("refused"))).catch(() => undefined);
  expect((await readWithOwnChanges(read)).version).toBe("2");
});

it("has what the page shows where the person changed nothing since, whoever else did", async () => {
  await ownChange(Promise.resolve());
  queryClient.setQueryData(keyOf(read), versionOf("3"), { updatedAt: Date.now() + 1 });
  await queryClient.invalidateQueries({ queryKey: keyOf(read) });
  expect((await readWithOwnChanges(read)).version).toBe("3");
  expect(send).not.toHaveBeenCalled();
});
