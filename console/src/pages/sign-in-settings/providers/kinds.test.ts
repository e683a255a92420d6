import { expect, it } from "vitest";
import document from "../../../../../openapi/flagstone.json";
import { algorithms } from "../algorithms";
import { iconNames, kindNames, kinds, settingsOf } from "./kinds";
import * as limits from "./settings";

const { schemas } = document.components;

/** The table by which the server judges. */
const [presets = ""] = Object.values(
  import.meta.glob<string>("../../../../../src/domain/sign_in_provider/preset.rs", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);
const quoted = (text: string) => [...text.matchAll(/"(\w+)"/g)].map(([, name]) => name!);
const constants = Object.fromEntries(
  [...presets.matchAll(/const (\w+): &\[&str\] = &\[([^\]]*)\]/g)].map(([, name, list]) => [name!, quoted(list!)]),
);
/** The names in a list of the table, those behind constants among them. */
const namesIn = (list: string) => [
  ...quoted(list),
  ...[...list.matchAll(/\b([A-Z]{3,})\b/g)].flatMap(([, name]) => constants[name!] ?? []),
];

const [, base = "", table = ""] =
  /const ANY: Preset = Preset \{([^]*?)\n\};[^]*?static PRESETS[^=]*= \[([^]*?)\n\];/.exec(presets) ?? [];

function presetOf(text: string) {
  const part = (name: string) =>
    // To the next part, or the rest.
    [text, base].map((one) => new RegExp(`\\b${name}: ([^]*?),\\n +(?:\\w+: |\\.\\.)`).exec(one)?.[1]).find(Boolean) ??
    "";
  const needs = namesIn(part("required")).sort();
  const optional = namesIn(part("optional")).filter((name) => !needs.includes(name));
  return {
    kind: /Kind::(\w+)/.exec(part("kind"))?.[1]?.toLowerCase(),
    icon: /Icon::(\w+)/.exec(part("icon"))?.[1]?.toLowerCase(),
    needs,
    mayHave: optional.sort(),
    tellsGroups: part("groups_path").startsWith("Some"),
  };
}

const judged = [base, ...[...table.matchAll(/Preset \{([^]*?)\n {4}\}/g)].map(([, text]) => text!)].map(presetOf);

it("reads the table of the server", () => {
  expect(judged.map(({ kind }) => kind).sort()).toEqual([...schemas.SignInProviderKind.enum].sort());
  expect(judged.find(({ kind }) => kind === "keycloak")?.needs).toEqual(["clientId", "realm", "secret", "serverUrl"]);
  const saml = judged.find(({ kind }) => kind === "saml");
  expect(saml?.needs).toEqual(["certificate", "entityId", "signOnUrl"]);
  expect(saml?.mayHave).toEqual(expect.arrayContaining(["groupsPath", "nameClaim", "signOutUrl"]));
});

it.each(kindNames)("asks of %s exactly what the server needs and takes", (kind) => {
  const { icon, needs, mayHave, tellsGroups } = kinds[kind];
  const found = { kind, icon, needs: [...needs].sort(), mayHave: [...mayHave].sort(), tellsGroups };
  expect(found).toEqual(judged.find((one) => one.kind === kind));
});

it("has each kind, each icon and each algorithm of the document", () => {
  expect([...kindNames].sort()).toEqual([...schemas.SignInProviderKind.enum].sort());
  expect(Object.keys(iconNames).sort()).toEqual([...schemas.SignInProviderIcon.enum].sort());
  expect(algorithms).toEqual(schemas.TokenAlgorithm.enum);
});

it("has each setting and each rule of the document, and no other", () => {
  const { settings, rules } = limits;
  expect(Object.keys(settings).sort()).toEqual(Object.keys(schemas.SignInProviderSettings.properties).sort());
  expect([...Object.keys(rules), "rootRoles"].sort()).toEqual(
    Object.keys(schemas.SignInProviderRules.properties).sort(),
  );
  expect([...new Set(kindNames.flatMap(settingsOf))].sort()).toEqual(Object.keys(settings).sort());
});

const controls: Record<string, string[]> = { boolean: ["switch"], array: ["texts"], integer: ["role"] };
const ofTexts = ["text", "secret", "long", "long-secret", "algorithm"];

interface Property {
  type?: string;
  maxLength?: number;
  maxItems?: number;
  items?: { maxLength?: number };
}

it.each([
  ...Object.entries(limits.settings).map(([name, setting]) => ({
    name,
    setting,
    property: (schemas.SignInProviderSettings.properties as Record<string, Property>)[name]!,
  })),
  ...Object.entries(limits.rules).map(([name, setting]) => ({
    name,
    setting,
    property: (schemas.SignInProviderRules.properties as Record<string, Property>)[name]!,
  })),
])("has the control and the limits of $name", ({ setting: { kind, maxLength, most }, property }) => {
  expect(maxLength).toBe(property.items?.maxLength ?? property.maxLength);
  expect(most).toBe(property.maxItems);
  expect(controls[property.type ?? ""] ?? ofTexts).toContain(kind);
});

it("has the limits of what is beside the settings", () => {
  const { properties } = schemas.SignInProviderCreate;
  expect([limits.longestLabel, limits.longestId]).toEqual([properties.label.maxLength, properties.id.maxLength]);
  expect(limits.idPattern.source).toBe(properties.id.pattern);
  const role = schemas.SignInProviderRootRole.properties;
  expect([limits.longestClaim, limits.longestClaimValue]).toEqual([role.claim.maxLength, role.value.maxLength]);
  expect(limits.mostRootRoles).toBe(schemas.SignInProviderRules.properties.rootRoles.maxItems);
  expect(limits.mostProviders).toBe(schemas.SignInProviderOrder.properties.ids.maxItems);
});
