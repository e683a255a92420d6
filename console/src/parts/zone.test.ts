import { expect, it } from "vitest";
import { forField, fromField, inZone, isZone } from "./zone";

const moment = new Date("2027-01-31T23:30:00Z");

it("shows a moment in a zone, also where that is another day", () => {
  expect(inZone(moment, "UTC")).toBe("2027-01-31 23:30:00");
  expect(inZone(moment, "Europe/Zurich")).toBe("2027-02-01 00:30:00");
  expect(inZone(moment, "America/New_York")).toBe("2027-01-31 18:30:00");
});

it.each(["UTC", "Europe/Zurich", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"])(
  "reads in %s what it showed there, on both sides of a change of clocks",
  (zone) => {
    for (let hour = 0; hour < 24 * 365; hour += 97) {
      const at = new Date(Date.parse("2027-01-01T00:10:00Z") + hour * 3_600_000);
      expect(fromField(forField(at, zone), zone)).toEqual(at);
    }
  },
);

it("knows what is a zone and what is a moment", () => {
  expect(isZone("Europe/Zurich")).toBe(true);
  expect(isZone("Europe/Nowhere")).toBe(false);
  expect(fromField("tomorrow", "UTC")).toBeUndefined();
});
