import { expect, it } from "vitest";
import { elixir, literal, quoted, script, text, variable, withoutVariables } from "./sdk";
import { sdkOptions, sdks } from "./sdks";

const asked = { url: "https://flags.example", feature: "checkout", appName: "web shop", token: "shop:development.abc" };

it.each(Object.entries(sdks))("%s: is installed, names the server and the application", (name, sdk) => {
  const code = sdk.code(asked);
  expect(sdk.install).not.toBe("");
  expect(sdk.file).not.toBe("");
  expect(code).toContain("https://flags.example");
  expect(code).toMatch(/web[ +]shop/);
  if (name !== "curl") expect(code).toContain("checkout");
});

it.each(Object.entries(sdks))("%s: has the token only where everybody may see it", (_, { code, token, run }) => {
  const isSeen = run === "";
  expect(code(asked).includes("shop:development.abc")).toBe(isSeen);
  expect(code(asked).includes(variable)).toBe(!isSeen);
  if (isSeen) expect(token).toBe("frontend");
});

it("offers every SDK of the field once, by where it runs", () => {
  const offered = sdkOptions.map(({ group, items }) => [group, items.map(({ value }) => value).join(" ")]);
  expect(offered).toEqual([
    ["Server", "node java go python ruby dotnet php rust elixir"],
    ["Browser", "browser react next vue svelte angular"],
    ["Mobile", "android swift flutter react-native"],
    ["OpenFeature", "openfeature-server openfeature-web ofrep"],
    ["HTTP", "curl"],
  ]);
});

it("writes a name that ends a text or names a variable as what it is, in every language", () => {
  const odd = `a"b'c$d#{e}</script>`;
  expect(text(odd)).toBe(String.raw`"a\"b'c$d#{e}</script>"`);
  expect(script(odd)).toBe(String.raw`"a\"b'c$d#{e}<\/script>"`);
  expect(withoutVariables(odd)).toBe(String.raw`"a\"b'c\$d#{e}</script>"`);
  expect(literal(odd)).toBe(String.raw`'a"b\'c$d#{e}</script>'`);
  expect(elixir(odd)).toBe(String.raw`"a\"b'c$d\#{e}</script>"`);
  expect(quoted(odd)).toBe(`'a"b'\\''c$d#{e}</script>'`);
});
