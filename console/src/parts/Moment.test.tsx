// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { WithMoments } from "./Moment";
import { chooseZone } from "./zone";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

function shown(text: string) {
  const place = document.createElement("div");
  const root = createRoot(place);
  act(() => root.render(<WithMoments text={text} />));
  const found = { text: place.textContent, moments: [...place.querySelectorAll("time")].map((one) => one.dateTime) };
  act(() => root.unmount());
  return found;
}

it("shows each moment of a text in the zone of the reader", () => {
  chooseZone("Asia/Tokyo");
  const at = "2031-02-01T10:00:00.000Z";
  expect(shown(`It said 503. Attempt 2 of 10; the next is at ${at}.`)).toEqual({
    text: "It said 503. Attempt 2 of 10; the next is at 2031-02-01 19:00:00 (Asia/Tokyo).",
    moments: [at],
  });
  expect(shown("expires at 2031-02-01T10:00Z → 2031-02-01T10:00:00+01:00").text).toBe(
    "expires at 2031-02-01 19:00:00 (Asia/Tokyo) → 2031-02-01 18:00:00 (Asia/Tokyo)",
  );
});

it("leaves alone what is no moment", () => {
  for (const text of ["", "checkout", "2031-02-01", "2031-99-99T10:00:00Z", "2031-02-01T10:00", "a-2031-02-01T10"])
    expect(shown(text)).toEqual({ text, moments: [] });
});
