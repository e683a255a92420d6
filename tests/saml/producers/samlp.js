// Responses of npm `samlp` 8: `npm install samlp@8`, then `node samlp.js ../keys ../fixtures/samlp`.
const fs = require('fs');
const samlp = require('samlp');

const [keys, out] = process.argv.slice(2);
const user = {
  id: 'alice', emails: [{ value: 'alice@example.com' }], displayName: 'Alice <A> & "B"',
  name: { givenName: 'Alice', familyName: 'Ä. Example' },
};
class Profile {
  constructor(user) { this.user = user; }
  getClaims() {
    return {
      email: 'alice@example.com', firstName: 'Alice', lastName: 'Ä. Example <&>',
      'http://schemas.example/groups': ['admins', 'developers & friends'],
    };
  }
  getNameIdentifier() { return { nameIdentifier: 'alice@example.com' }; }
}
const wrapped = (user) => new Profile(user);
wrapped.prototype = Profile.prototype;
const base = {
  issuer: 'https://idp.example/metadata', audience: 'https://flags.example',
  recipient: 'https://flags.example/auth/saml/callback', destination: 'https://flags.example/auth/saml/callback',
  inResponseTo: '_request', sessionIndex: '_session',
  nameIdentifierFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  key: fs.readFileSync(`${keys}/provider.key`), cert: fs.readFileSync(`${keys}/provider.crt`),
  signatureAlgorithm: 'rsa-sha256', digestAlgorithm: 'sha256', profileMapper: wrapped,
};
const kinds = {
  assertion: {}, response: { signAssertion: false, signResponse: true }, both: { signResponse: true },
  prefixed: { signResponse: true, signatureNamespacePrefix: 'ds' }, sha1: { signatureAlgorithm: 'rsa-sha1', digestAlgorithm: 'sha1' },
  unsigned: { signAssertion: false },
};
for (const [kind, options] of Object.entries(kinds)) {
  samlp.getSamlResponse({ ...base, ...options }, user, (error, response) => {
    if (error) throw error;
    fs.writeFileSync(`${out}/${kind}.xml`, response.toString());
  });
}
