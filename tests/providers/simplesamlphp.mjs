// Debian's `simplesamlphp`: insists on signed requests, signs the response and the assertion in it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate, freeAddress, ourCertificate, ourKey, program, repository, scratch } from "./place.mjs";

export async function simplesamlphp({ entityId, callback, singleLogout }) {
  const { port, url } = await freeAddress();
  const data = join(scratch, `simplesamlphp-${port}`);
  let names = ["provider"];
  let running;

  const tell = (groups) => writeFileSync(join(data, "groups.json"), JSON.stringify(groups));

  async function start() {
    mkdirSync(data, { recursive: true });
    tell([]);
    running = await program("php", ["-S", `127.0.0.1:${port}`, "-t", "/usr/share/simplesamlphp/www"], {
      url: `${url}/saml2/idp/metadata.php`,
      env: {
        SIMPLESAMLPHP_CONFIG_DIR: join(repository, "tests/providers/simplesamlphp"),
        IDP_URL: url,
        IDP_DATA: data,
        IDP_KEYS: join(repository, "tests/saml/keys"),
        IDP_KEY: names[0],
        SP_ID: entityId,
        SP_CALLBACK: callback,
        SP_LOGOUT: singleLogout,
      },
    });
  }

  return {
    name: "simplesamlphp",
    protocol: "saml",
    url,
    person: { email: "ada@simplesamlphp.example", name: "Ada Lovelace" },
    answers: { username: "ada", password: "secret" },
    signOutThere: `${url}/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(`${url}/logout.php`)}`,
    policy: { samlSignRequests: true },
    start,
    stop: () => running.stop(),
    settings: () => ({
      entityId: `${url}/saml2/idp/metadata.php`,
      signOnUrl: `${url}/saml2/idp/SSOService.php`,
      signOutUrl: `${url}/saml2/idp/SingleLogoutService.php`,
      certificate: names.map(certificate).join(""),
      spCertificate: ourKey() + ourCertificate(),
    }),
    tell,
    async rotate() {
      names = ["other", "provider"];
      await running.stop();
      await start();
    },
  };
}
