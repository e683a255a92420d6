// npm `samlp`: signed assertions by POST, sign-out by redirect in both directions. It knows the server by this registration.
import { randomUUID } from "node:crypto";
import express from "express";
import samlp from "samlp";
import SessionParticipants from "samlp/lib/sessionParticipants/index.js";
import { certificate, freeAddress, key, ourKey, ourCertificate } from "./place.mjs";

const person = { email: "ada@samlp.example", name: "Ada Lovelace" };
const email = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

export async function samlProvider({ entityId, callback: to, singleLogout }) {
  const { port, url } = await freeAddress();
  const sessions = new Map();
  let groups = [];
  let names = ["provider"];
  let server;

  const credentials = () => ({
    issuer: `${url}/metadata`,
    key: key(names[0]),
    cert: certificate(names[0]),
    signatureAlgorithm: "rsa-sha256",
    digestAlgorithm: "sha256",
  });

  // What the library asks of a person.
  const profile = () => ({
    getClaims: () => ({ email: person.email, firstName: "Ada", lastName: "Lovelace", groups }),
    getNameIdentifier: () => ({ nameIdentifier: person.email, nameIdentifierFormat: email }),
  });

  const app = express();
  app.use(express.urlencoded({ extended: false }), (asked, answer, next) => {
    const [, id] = asked.headers.cookie?.match(/samlp=([^;]*)/) ?? [];
    asked.session = sessions.get(id);
    if (!asked.session) {
      const made = randomUUID();
      sessions.set(made, (asked.session = { id: made, participants: [] }));
      answer.cookie("samlp", made, { httpOnly: true });
    }
    next();
  });
  app.get("/sso", (asked, answer, next) => {
    const { session } = asked;
    if (!session.login) return answer.send('<form method="post"><input type="text" name="login"></form>');
    const sessionIndex = `_${session.id}`;
    session.participants = [
      {
        serviceProviderId: entityId,
        sessionIndex,
        nameId: person.email,
        nameIdFormat: email,
        serviceProviderLogoutURL: singleLogout,
        cert: ourCertificate(),
      },
    ];
    return samlp.auth({
      ...credentials(),
      sessionIndex,
      recipient: to,
      destination: to,
      signingCert: ourCertificate(),
      getUserFromRequest: () => person,
      profileMapper: profile,
      getPostURL: (_audience, _request, _asked, done) => done(null, to),
    })(asked, answer, next);
  });
  app.post("/sso", (asked, answer) => {
    asked.session.login = asked.body.login;
    answer.redirect(303, asked.originalUrl);
  });
  app.get("/slo", (asked, answer, next) => {
    const { session } = asked;
    return samlp.logout({
      ...credentials(),
      deflate: true,
      protocolBinding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
      sessionParticipants: new SessionParticipants(session.participants),
      clearIdPSession(done) {
        delete session.login;
        done();
      },
    })(asked, answer, next);
  });

  async function start() {
    server = app.listen(port);
    await new Promise((resolve) => server.once("listening", resolve));
  }

  return {
    name: "samlp",
    protocol: "saml",
    url,
    person,
    answers: { login: "ada" },
    signOutThere: `${url}/slo`,
    policy: { samlSignRequests: true },
    start,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    settings: () => ({
      entityId: `${url}/metadata`,
      signOnUrl: `${url}/sso`,
      signOutUrl: `${url}/slo`,
      certificate: names.map(certificate).join(""),
      spCertificate: ourKey() + ourCertificate(),
    }),
    tell: (told) => (groups = told),
    rotate: () => (names = ["other", "provider"]),
  };
}
