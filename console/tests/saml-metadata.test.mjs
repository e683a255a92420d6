// Settings of SAML and login providers beside them that follow the provider's metadata, by the keyboard alone, and the certificates that they then accept.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { ownServer } from "./own-server.mjs";

// It reads the metadata as soon as it can be told to.
process.env.FLAGSTONE_JOB_SAML_METADATA_SECONDS = "10";
await ownServer();
const { admin, ask, assertAccessible, assertAtPeace, assertWithin, eventually, narrow, reach, server, visitor } =
  await import("./chromium.mjs");
const { api, post } = await import("./administration.mjs");

const keys = new URL("../../tests/saml/keys/", import.meta.url);
const certificate = (name) => readFile(new URL(`${name}.crt`, keys), "utf8");
const entityId = "https://provider.example/metadata";
const signOnUrl = "https://provider.example/sign-on";

const namespace = "urn:oasis:names:tc:SAML:2.0";
const bare = (pem) => pem.replace(/-----[A-Z ]+-----|\n/g, "");
const metadata = (entity, certificates) =>
  `<md:EntityDescriptor xmlns:md="${namespace}:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"` +
  ` entityID="${entity}"><md:IDPSSODescriptor protocolSupportEnumeration="${namespace}:protocol">` +
  certificates
    .map(
      (pem) =>
        `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bare(pem)}` +
        `</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
    )
    .join("") +
  `<md:SingleSignOnService Binding="${namespace}:bindings:HTTP-Redirect" Location="${signOnUrl}"/>` +
  `</md:IDPSSODescriptor></md:EntityDescriptor>`;

const [current, next] = [await certificate("provider"), await certificate("dated")];
const documents = {
  "/metadata": metadata(entityId, [current, next]),
  "/of-another": metadata("https://another.example/metadata", [next]),
};
const publisher = createServer((request, response) => response.end(documents[request.url]));
await new Promise((resolve) => publisher.listen(0, "127.0.0.1", resolve));
after(() => publisher.close());
const urlOf = (path) => `http://127.0.0.1:${publisher.address().port}${path}`;

const following = (of = "saml") => ask(`${api}/auth/${of}/metadata-refresh`);

async function write(page, field, text) {
  await reach(page, field);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}

test("follows the metadata of the same provider alone, and shows the certificates that are accepted", async () => {
  await post("/auth/saml/settings", { enabled: true, entityId, signOnUrl, certificate: current });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/saml");
  await page.getByText("an encrypted assertion is refused").waitFor();
  const certificates = page
    .getByRole("region", { name: "Accepted signatures" })
    .getByRole("list", { name: "Accepted keys" })
    .getByRole("listitem");
  await certificates.filter({ hasText: /provider, serial number 0CF003C8/ }).waitFor();
  assert.equal(await certificates.count(), 1);
  assert.match(await certificates.innerText(), /until 2126-10-29/);

  const section = page.getByRole("region", { name: "Follow the metadata" });
  const save = section.getByRole("button", { name: "Save", exact: true });
  await reach(page, section.getByRole("switch", { name: "The settings follow the metadata" }));
  await page.keyboard.press("Space");
  assert.equal(await save.getAttribute("aria-disabled"), "true", "it needs a URL");
  const url = section.getByLabel("URL of the metadata");
  await write(page, url, urlOf("/of-another"));
  await page.keyboard.press("Enter");
  await section.getByText(/is of another provider than the settings/i).waitFor();
  assert.equal(await url.getAttribute("aria-invalid"), "true");
  assert.equal((await following()).enabled, false);

  await write(page, url, urlOf("/metadata"));
  await write(page, section.getByLabel("Hours from one reading to the next"), "6");
  await page.keyboard.press("Enter");
  await eventually(
    () => following(),
    ({ enabled, intervalHours }) => enabled && intervalHours === 6,
  );
  await section.getByText("✓ Read and followed").waitFor();
  const { attemptedAt, succeededAt, problem } = await following();
  assert.ok(attemptedAt === succeededAt && problem === null);
  const progress = section.locator("dl");
  assert.match(await progress.innerText(), /Next\s+in (5|6) hours/);
  const settings = await ask(`${api}/auth/saml/settings`);
  assert.equal(settings.certificate.match(/BEGIN CERTIFICATE/g).length, 2);

  await open("/settings/sign-in/saml");
  await certificates.filter({ hasText: /dated, serial number 07, .* until 2027-02-03/ }).waitFor();
  assert.equal(await certificates.count(), 2);
  await assertAccessible(page, "metadata that is followed");

  await reach(page, section.getByRole("switch", { name: "The settings follow the metadata" }));
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await eventually(
    () => following(),
    ({ enabled }) => !enabled,
  );
  await section.getByText("never: it is switched off").waitFor();
  await assertAtPeace(seen);
});

test("a login provider follows its metadata in its drawer, on a phone, and what is not saved is not lost by a slip", async () => {
  const settings = { entityId, signOnUrl, certificate: current };
  await post("/auth/providers", { id: "corp", kind: "saml", label: "Corp", enabled: true, settings });
  const provider = () => ask(`${api}/auth/providers/corp`);
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;
  await open("/settings/sign-in/providers?provider=corp");
  const drawer = page.getByRole("dialog", { name: "Login provider", exact: true });
  await drawer.getByText(`${server}/auth/providers/corp/logout/done`, { exact: true }).waitFor();
  await drawer.getByLabel("Single logout URL").waitFor();
  const section = drawer.getByRole("region", { name: "Follow the metadata" });
  await reach(page, section.getByRole("switch", { name: "The settings follow the metadata" }));
  await page.keyboard.press("Space");
  const url = section.getByLabel("URL of the metadata");
  await write(page, url, urlOf("/of-another"));
  await page.keyboard.press("Enter");
  await section.getByText(/is of another provider than the settings/i).waitFor();
  assert.equal(await url.getAttribute("aria-invalid"), "true");
  await assertAccessible(page, "a login provider of SAML on a phone");
  await assertWithin(drawer);

  await page.keyboard.press("Escape");
  const asking = page.getByRole("dialog", { name: "Discard your changes?" });
  await reach(page, asking.getByRole("button", { name: "Keep editing" }));
  await page.keyboard.press("Enter");
  await asking.waitFor({ state: "hidden" });

  await write(page, url, urlOf("/metadata"));
  await page.keyboard.press("Enter");
  await section.getByText("✓ Read and followed").waitFor();
  const { enabled, attemptedAt, succeededAt } = await following("providers/corp");
  assert.ok(enabled && attemptedAt === succeededAt);
  assert.equal((await provider()).settings.certificate.match(/BEGIN CERTIFICATE/g).length, 2);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  await assertAtPeace(seen);
});
