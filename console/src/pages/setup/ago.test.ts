import { expect, it } from "vitest";
import { ago } from "./ago";

it("counts seconds while somebody watches", () => {
  const now = Date.parse("2026-05-01T12:00:03Z");
  expect(ago("2026-05-01T12:00:00Z", now)).toBe("3 s ago");
  expect(ago("2026-05-01T11:50:03Z", now)).toBe("10 minutes ago");
  // A clock that is behind the server's.
  expect(ago("2026-05-01T12:00:09Z", now)).toBe("0 s ago");
});
