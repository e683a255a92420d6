import { expect, it } from "vitest";
import { meetsRules, rules } from "./passwords";

const missing = (password: string) => rules.filter(({ isMet }) => !isMet(password)).map(({ says }) => says);

it("names what a password lacks", () => {
  expect(missing("")).toHaveLength(5);
  expect(missing("Tests-Admin")).toEqual(["a digit"]);
  expect(missing("Tests1Admin")).toEqual(["another character"]);
  expect(missing("Aa1-")).toEqual(["at least 10 characters"]);
  expect(meetsRules("Tests-Admin-1")).toBe(true);
});

it("counts letters of every script, as the server does", () => {
  expect(missing("Ärger-über-1")).toEqual([]);
  expect(missing("ПАРОЛЬ-ДЛЯ-1")).toEqual(["a lower-case letter"]);
});
