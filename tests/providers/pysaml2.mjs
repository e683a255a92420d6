// PyPI `pysaml2`: reads our metadata, insists on signed requests, signs the response and the assertion in it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate, certificateFile, freeAddress, keyFile, ourCertificate, ourKey, program, python, repository, scratch } from "./place.mjs";

export async function pysaml2({ metadata: ours }) {
  const { port, url } = await freeAddress();
  const metadata = join(scratch, `metadata-of-the-server-${port}.xml`);
  let groups = [];
  let names = ["provider"];
  let running;

  async function tell(told) {
    groups = told;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/groups`, { method: "PUT", headers, body: JSON.stringify(groups) });
    assert.equal(answer.status, 200);
  }

  async function start() {
    writeFileSync(metadata, await (await fetch(ours)).text());
    const files = [keyFile(names[0]), certificateFile(names[0]), metadata];
    running = await program(python, [join(repository, "tests/providers/pysaml2.py"), `${port}`, ...files], { url });
    await tell(groups);
  }

  return {
    name: "pysaml2",
    protocol: "saml",
    url,
    person: { email: "ada@pysaml2.example", name: "Ada Lovelace" },
    answers: { login: "ada" },
    signOutThere: `${url}/leave`,
    policy: { samlSignRequests: true },
    start,
    stop: () => running.stop(),
    settings: () => ({
      entityId: `${url}/metadata`,
      signOnUrl: `${url}/sso`,
      signOutUrl: `${url}/slo`,
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
