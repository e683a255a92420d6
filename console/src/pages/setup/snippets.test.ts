import { expect, it } from "vitest";
import { ago, languages, variable } from "./snippets";

const asked = { url: "https://flags.example", feature: 'f"; drop', program: "shop", token: "shop:development.abc" };

it.each(Object.entries(languages))(
  "%s: names the server, and the token only where it may be seen",
  (name, { code }) => {
    const text = code(asked);
    expect(text).toContain("https://flags.example/api");
    expect(text).toContain(name === "browser" ? '"shop:development.abc"' : variable);
    expect(text.includes("shop:development.abc")).toBe(name === "browser");
    if (name !== "curl") {
      expect(text).toContain('"f\\"; drop"');
      expect(text).toContain('"shop"');
    }
  },
);

it("counts seconds while somebody watches", () => {
  const now = Date.parse("2026-05-01T12:00:03Z");
  expect(ago("2026-05-01T12:00:00Z", now)).toBe("3 s ago");
  expect(ago("2026-05-01T11:50:03Z", now)).toBe("10 minutes ago");
  // A clock that is behind the server's.
  expect(ago("2026-05-01T12:00:09Z", now)).toBe("0 s ago");
});
