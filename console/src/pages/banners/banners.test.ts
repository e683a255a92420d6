import { expect, test } from "vitest";
import { blank, contentOf, draftOf, objectionTo, type Banner } from "./banners";

const stored: Banner = {
  id: 1,
  message: "m",
  enabled: true,
  variant: "warning",
  sticky: true,
  icon: "none",
  link: "dialog",
  linkText: "More",
  dialogTitle: "Title",
  dialog: "text",
  createdAt: "2026-01-01T00:00:00.000Z",
};

test("what is stored is sent back as it was, its symbol too", () => {
  const { id, createdAt, ...content } = stored;
  expect(id && createdAt).toBeTruthy();
  expect(contentOf(draftOf(stored))).toEqual(content);
  const plain = { ...stored, link: "https://a.example", linkText: null, dialogTitle: null, dialog: null };
  expect(contentOf(draftOf(plain))).toMatchObject({ link: "https://a.example", linkText: null, dialog: null });
});

test("a banner that leads nowhere keeps nothing of its link", () => {
  const nowhere = contentOf({ ...draftOf(stored), leads: "nowhere" });
  expect(nowhere).toMatchObject({ link: null, linkText: null, dialogTitle: null, dialog: null });
});

test("what is missing is named", () => {
  expect(objectionTo(blank)).toBe("Say something.");
  const told = { ...blank, message: "m" };
  expect(objectionTo(told)).toBeUndefined();
  expect(objectionTo({ ...told, leads: "address" })).toBe("Say where the link leads.");
  expect(objectionTo({ ...told, leads: "dialog" })).toBe("Say what the dialog says.");
});
