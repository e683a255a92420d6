// Debian's LemonLDAP::NG, which speaks both protocols, with its own people for demonstrations.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate, freeAddress, program, scratch } from "./place.mjs";

const packaged = "/var/lib/lemonldap-ng/conf/lmConf-1.json";
// Two of the people that it knows, one for each protocol.
const people = {
  oidc: { login: "dwho", email: "dwho@badwolf.org", name: "Doctor Who" },
  saml: { login: "rtyler", email: "rtyler@badwolf.org", name: "Rose Tyler" },
};

// The part of a provider that does not depend on the protocol. `configure(keys)` is what the protocol needs.
export async function lemonldap(protocol, configure) {
  const { port, url } = await freeAddress();
  const data = join(scratch, `lemonldap-${protocol}`);
  let names = ["provider"];
  let groups = [];
  let running;
  const { login, ...person } = people[protocol];

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
    running = await program("plackup", ["-s", "Starman", "--workers", "2", "--listen", `127.0.0.1:${port}`, site], {
      url: `${url}/`,
      env: { LLNG_DEFAULTCONFFILE: join(data, "lemonldap-ng.ini") },
    });
  }

  async function restart() {
    await running.stop();
    await start();
  }

  return {
    name: `lemonldap-${protocol}`,
    protocol,
    url,
    person,
    answers: { user: login, password: login },
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
    certificates: () => names.map(certificate).join(""),
  };
}
