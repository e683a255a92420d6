// A login provider that says yes to everybody at once: enough of OpenID Connect for one to be tried.
import { createSign, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";

const encoded = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Begins it; whoever signs in there has this email. */
export async function loginProvider(email) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" };
  const nonces = new Map();
  let issuer;

  function idToken(client, nonce) {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: client,
      sub: email,
      email,
      email_verified: true,
      iat: now,
      exp: now + 300,
      nonce,
    };
    const text = `${encoded({ alg: "RS256", kid: "one" })}.${encoded(claims)}`;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey).toString("base64url")}`;
  }

  const answers = {
    "/.well-known/openid-configuration": () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    }),
    "/keys": () => ({ keys: [key] }),
    "/token": (asked) => ({
      token_type: "Bearer",
      access_token: "of-no-use",
      expires_in: 300,
      id_token: idToken(nonces.get(asked.get("code")).client, nonces.get(asked.get("code")).nonce),
    }),
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, issuer);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (url.pathname === "/authorize") {
      const code = `code-${nonces.size}`;
      nonces.set(code, { nonce: url.searchParams.get("nonce"), client: url.searchParams.get("client_id") });
      const back = new URL(url.searchParams.get("redirect_uri"));
      back.searchParams.set("code", code);
      back.searchParams.set("state", url.searchParams.get("state"));
      return response.writeHead(302, { location: back.href }).end();
    }
    const answer = answers[url.pathname];
    if (!answer) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify(answer(new URLSearchParams(Buffer.concat(chunks).toString()))));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${server.address().port}`;
  return { issuer, close: () => server.close() };
}
