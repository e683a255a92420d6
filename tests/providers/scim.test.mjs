// SCIM, as a conformance tester of others sees it: scim2-tester asks for everything that the server says it can do.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { python } from "./place.mjs";
import { server } from "./server.mjs";

const provisioned = await server();

before(() => provisioned.start());
after(() => provisioned.stop());

// What it finds fault with, and why that stays. May only shrink.
const deviations = [
  // Lists are asked for by GET: what is asked for is short.
  "There is nothing at /scim/.search",
  // Somebody may come in or may not: nothing is neither.
  "Failed to remove attribute 'active'",
  // One email is kept, and so it is the one that counts, also where it was said not to be.
  "unexpected value for 'emails'",
  // Members are answered with their names, which nobody sent.
  "Attribute 'members' was not",
];

test("scim2-tester finds what the server says of itself to be true", async (context) => {
  const settings = "/api/admin/scim-settings";
  await provisioned.ask(settings, { method: "POST", body: { enabled: true } });
  const { token } = await provisioned.ask(`${settings}/generate-new-token`, { method: "POST" });
  const { stdout } = await promisify(execFile)(python, ["scim.py", provisioned.base, token], { maxBuffer: 1 << 26 });
  const results = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const told = (status) => results.filter((result) => result.status === status);
  const faulty = [...told("error"), ...told("critical"), ...told("deviation")];
  const faults = faulty.map(({ check, kind, reason }) => `${check} ${kind}: ${reason}`);
  context.diagnostic(`${results.length} checks, ${told("success").length} good, ${faults.length} at fault`);
  const unexpected = faults.filter((fault) => !deviations.some((known) => fault.includes(known)));
  assert.deepEqual(unexpected, []);
  assert.ok(told("success").length > 50, `few were tried: ${told("success").length}`);
});
