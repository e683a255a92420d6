// A project of its own for the tests of a file, and who and what is in it.
import { before } from "node:test";
import { ask } from "./chromium.mjs";

export const id = `work-${process.pid}-${Date.now().toString(36)}`;
export const project = `/api/admin/projects/${id}`;
let number = 0;

before(() => ask("/api/admin/projects", { method: "POST", body: { id, name: "Work & <b>play</b> 🚩" } }));

/** A feature that no other test knows, by its name. */
export async function freshFeature() {
  const name = `${id}-${++number}`;
  await ask(`${project}/features`, { method: "POST", body: { name, type: "release" } });
  return name;
}

export async function person(username, rootRole) {
  const who = { username, password: "Tests-Work-1" };
  const body = { ...who, name: username, rootRole, sendEmail: false };
  const { id: userId } = await ask("/api/admin/user-admin", { method: "POST", body });
  return { userId, ...who };
}
