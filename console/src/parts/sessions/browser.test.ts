import { expect, it } from "vitest";
import { browserOf } from "./browser";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140 on Linux"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/141.0.0.0 Safari/537.36`, "Chrome 141 on Windows"],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.3537.57`,
    "Edge 141 on Windows",
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/141.0.0.0 Mobile Safari/537.36`, "Chrome 141 on Android"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Safari 18 on iPhone",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
    "Safari 18 on macOS",
  ],
  ["curl/8.9.1", "curl/8.9.1"],
  ["x".repeat(255), `${"x".repeat(59)}…`],
  ["", "unknown browser"],
  [null, "unknown browser"],
])("%s is called %s", (userAgent, expected) => {
  expect(browserOf(userAgent)).toBe(expected);
});
