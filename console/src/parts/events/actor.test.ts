import { expect, it } from "vitest";
import { actorOf } from "./actor";

it("names the server for what it did itself, and everybody else as they are called", () => {
  expect(actorOf({ createdBy: "unleash_system_user", createdByUserId: -1337 })).toBe("Flagstone");
  expect(actorOf({ createdBy: "unleash_system_user", createdByUserId: 7 })).toBe("unleash_system_user");
  expect(actorOf({ createdBy: "a-token", createdByUserId: -42 })).toBe("a-token");
});
