// Debian's LemonLDAP::NG, which speaks both protocols, with its own people for demonstrations.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate, freeAddress, program, scratch } from "./place.mjs";
import { totp } from "./totp.mjs";
import { Visitor } from "./visitor.mjs";

const packaged = "/var/lib/lemonldap-ng/conf/lmConf-1.json";
// Two of the people that it knows, one for each protocol.
const people = {
  oidc: { login: "dwho", email: "dwho@badwolf.org", name: "Doctor Who" },
  saml: { login: "rtyler", email: "rtyler@badwolf.org", name: "Rose Tyler" },
};

// The part of a provider that does not depend on the protocol. `configure(keys)` is what the protocol needs.
export async function lemonldap(protocol, configure) {
  const { port, url } = await freeAddress();
  const data = join(scratch, `lemonldap-${protocol}-${port}`);
  let names = ["provider"];
  let groups = [];
  let running;
  const { login, ...person } = people[protocol];
  const answers = { user: login, password: login };

  function write() {
    // Who it remembers is forgotten, too.
    rmSync(data, { recursive: true, force: true });
    for (const place of ["conf", "sessions/lock", "lasting/lock", "cache"]) mkdirSync(join(data, place), { recursive: true });
    const cache = { cache_root: join(data, "cache"), cache_depth: 3, default_expires_in: 600, directory_umask: "007" };
    const kept = (place) => ({ Directory: join(data, place), LockDirectory: join(data, place, "lock") });
    const configuration = {
      ...JSON.parse(readFileSync(packaged, "utf8")),
      portal: `${url}/`,
      domain: "localhost",
      requireToken: 0,
      notification: 0,
      loginHistoryEnabled: 0,
      totp2fActivation: 1,
      totp2fSelfRegistration: 1,
      totp2fAuthnLevel: 5,
      passwordDB: "Null",
      registerDB: "Null",
      globalStorageOptions: { ...kept("sessions"), generateModule: "Lemonldap::NG::Common::Apache::Session::Generate::SHA256" },
      persistentStorageOptions: kept("lasting"),
      localSessionStorageOptions: { ...cache, namespace: "sessions" },
      groups: Object.fromEntries(groups.map((group) => [group, "1"])),
      ...configure({ url, name: names[0] }),
    };
    writeFileSync(join(data, "conf/lmConf-1.json"), JSON.stringify(configuration));
    const ini = ["[all]", "logLevel = warn", "checkTime = 1", "[configuration]", "type = File", `dirName = ${data}/conf`];
    ini.push("localStorage = Cache::FileCache", `localStorageOptions = { 'namespace' => 'conf', 'cache_root' => '${data}/cache' }`);
    ini.push("[portal]", "staticPrefix = /static", "templateDir = /usr/share/lemonldap-ng/portal/templates");
    writeFileSync(join(data, "lemonldap-ng.ini"), `${ini.join("\n")}\n`);
  }

  async function start() {
    write();
    const site = "/usr/share/lemonldap-ng/portal/htdocs/index.psgi";
    // Starman ends idle connections while the next request is on its way, and keeps a worker from others until then.
    const options = ["--workers", "2", "--disable-keepalive", "--listen", `127.0.0.1:${port}`];
    running = await program("plackup", ["-s", "Starman", ...options, site], {
      url: `${url}/`,
      env: { LLNG_DEFAULTCONFFILE: join(data, "lemonldap-ng.ini") },
    });
  }

  async function restart() {
    await running.stop();
    await start();
  }

  // The person makes an app known at the provider's page about second factors, as its script does.
  async function enrol() {
    const visitor = new Visitor();
    await visitor.go(url, answers);
    const call = async (action, body) => {
      const headers = { accept: "application/json", "x-csrf-check": "1" };
      const sent = { method: "POST", headers, body: new URLSearchParams(body) };
      const answer = await visitor.send(`${url}/2fregisters/totp/${action}`, sent);
      assert.equal(answer.status, 200, answer.text);
      return JSON.parse(answer.text);
    };
    const { secret, token } = await call("getkey", {});
    assert.deepEqual(await call("verify", { token, code: totp(secret), TOTPName: "app" }), { result: 1 });
    return () => totp(secret);
  }

  return {
    name: `lemonldap-${protocol}`,
    protocol,
    url,
    person,
    answers,
    signOut: { "": "" },
    start,
    stop: () => running.stop(),
    async tell(told) {
      groups = told;
      await restart();
    },
    async rotate() {
      names = ["other", "provider"];
      await restart();
    },
    secondFactor: { enrol, forget: restart },
    certificates: () => names.map(certificate).join(""),
  };
}
