import { expect, it } from "vitest";
import { certificatesOf } from "./certificates";

const files = import.meta.glob<string>("../../../../tests/saml/keys/*.crt", {
  query: "?raw",
  import: "default",
  eager: true,
});
const pem = (name: string) => files[`../../../../tests/saml/keys/${name}.crt`]!;
const bare = (name: string) => pem(name).replace(/-----[A-Z ]+-----|\n/g, "");

const provider = {
  name: "provider",
  serial: "0CF003C8A5C4C8E8A4671E8F50F1A821962D9589",
  notBefore: "2026-11-22T12:49:32.000Z",
  notAfter: "2126-10-29T12:49:32.000Z",
};
const dated = { name: "dated", serial: "07", notBefore: "2026-01-01T00:00:00.000Z" };

it.each([
  ["provider", provider],
  ["late", { ...dated, notAfter: "2077-02-03T04:05:06.000Z" }],
  ["dated", { ...dated, notAfter: "2027-02-03T04:05:06.000Z" }],
  ["version1", { ...dated, notAfter: "2027-02-03T04:05:06.000Z" }],
])("reads %s", (name, expected) => {
  expect(certificatesOf(pem(name))).toEqual([expected]);
});

it("reads several in each form that the setting takes, and each of them once", () => {
  const names = (setting: string) => certificatesOf(setting)?.map(({ name }) => name);
  expect(names(pem("provider") + pem("other") + pem("provider"))).toEqual(["provider", "other"]);
  expect(names((pem("provider") + pem("other")).replaceAll("\n", "\\n"))).toEqual(["provider", "other"]);
  expect(names(`${bare("provider")},${bare("p256")}`)).toEqual(["provider", certificatesOf(pem("p256"))?.[0]?.name]);
  expect(names("")).toEqual([]);
});

it.each(["no certificate", "MIID", bare("provider").slice(0, 400)])("shows nothing of what is none: %s", (setting) => {
  expect(certificatesOf(setting)).toBeUndefined();
});
