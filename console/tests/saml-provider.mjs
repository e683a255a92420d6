// A login provider of SAML that says yes to everybody at once, in a text that is its own canonical form.
import { createHash, createSign, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { inflateRawSync } from "node:zlib";

const keys = new URL("../../tests/saml/keys/", import.meta.url);
const algorithm = {
  canonical: "http://www.w3.org/2001/10/xml-exc-c14n#",
  enveloped: "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
  digest: "http://www.w3.org/2001/04/xmlenc#sha256",
  signature: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
};
const named = (name) => `urn:oasis:names:tc:SAML:2.0:${name}`;
const attribute = (text, name) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1];

/** Begins it; whoever signs in there has this email. */
export async function samlProvider(email) {
  const key = await readFile(new URL("provider.key", keys), "utf8");
  const certificate = await readFile(new URL("provider.crt", keys), "utf8");
  const entityId = "https://provider.example/metadata";

  function assertion({ id, request, to, audience }) {
    const now = Date.now();
    const at = (minutes) => new Date(now + minutes * 60_000).toISOString();
    const parts = (signature) =>
      `<saml:Assertion xmlns:saml="${named("assertion")}" ID="${id}" IssueInstant="${at(0)}" Version="2.0">` +
      `<saml:Issuer>${entityId}</saml:Issuer>${signature}` +
      `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${email}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="${named("cm:bearer")}"><saml:SubjectConfirmationData InResponseTo="${request}"` +
      ` NotOnOrAfter="${at(5)}" Recipient="${to}"></saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>` +
      `<saml:Conditions NotBefore="${at(-1)}" NotOnOrAfter="${at(5)}"><saml:AudienceRestriction>` +
      `<saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
      `<saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="_session"><saml:AuthnContext><saml:AuthnContextClassRef>` +
      `${named("ac:classes:Password")}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement></saml:Assertion>`;
    const digest = createHash("sha256").update(parts("")).digest("base64");
    const method = (name, value) => `<ds:${name} Algorithm="${value}"></ds:${name}>`;
    const signed =
      `<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">` +
      method("CanonicalizationMethod", algorithm.canonical) +
      method("SignatureMethod", algorithm.signature) +
      `<ds:Reference URI="#${id}"><ds:Transforms>${method("Transform", algorithm.enveloped)}` +
      `${method("Transform", algorithm.canonical)}</ds:Transforms>${method("DigestMethod", algorithm.digest)}` +
      `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
    const value = createSign("RSA-SHA256").update(signed).sign(key, "base64");
    return parts(
      `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${signed}` +
        `<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`,
    );
  }

  function page(asked) {
    const text = inflateRawSync(Buffer.from(asked.get("SAMLRequest"), "base64")).toString();
    const to = attribute(text, "AssertionConsumerServiceURL");
    const audience = />([^<]+)<\/(?:\w+:)?Issuer>/.exec(text)[1];
    const request = attribute(text, "ID");
    const response =
      `<samlp:Response xmlns:samlp="${named("protocol")}" ID="_${randomUUID()}" InResponseTo="${request}" Version="2.0"` +
      ` IssueInstant="${new Date().toISOString()}" Destination="${to}"><saml:Issuer xmlns:saml="${named("assertion")}">` +
      `${entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${named("status:Success")}"/></samlp:Status>` +
      `${assertion({ id: `_${randomUUID()}`, request, to, audience })}</samlp:Response>`;
    const field = (name, value) => `<input type="hidden" name="${name}" value="${value.replaceAll('"', "&quot;")}">`;
    return (
      `<title>Provider</title><form method="post" action="${to}">` +
      field("SAMLResponse", Buffer.from(response).toString("base64")) +
      field("RelayState", asked.get("RelayState") ?? "") +
      `</form><script>document.forms[0].submit()</script>`
    );
  }

  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url, "http://provider");
    response.writeHead(200, { "content-type": "text/html" }).end(page(searchParams));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const signOnUrl = `http://127.0.0.1:${server.address().port}/sign-on`;
  return { entityId, signOnUrl, certificate, close: () => server.close() };
}
