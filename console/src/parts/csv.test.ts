import { expect, it } from "vitest";
import { csv } from "./csv";

it("writes cells that no spreadsheet takes for a formula", () => {
  expect(csv([["=1+1", 'say "hi"', "a,b", -5]])).toBe('\'=1+1,"say ""hi""","a,b",-5\r\n');
});
