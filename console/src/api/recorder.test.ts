import { expect, it } from "vitest";
import { blanked, blankedAddress } from "./recorder";
import { request } from "./request";

const token = "8a5324041c761c3848005d493b51df54";

it("keeps no secret of a link, wherever in an address it stands", () => {
  const addresses = [
    request("get", "/auth/reset/validate", { params: { query: { token } } }),
    request("get", "/invite/{token}/validate", { params: { path: { token } } }),
    request("delete", "/api/admin/projects/{projectId}/api-tokens/{token}", {
      params: { path: { projectId: "webshop", token } },
    }),
  ].map(blankedAddress);
  expect(addresses).toEqual([
    "/auth/reset/validate?token=…",
    "/invite/…/validate",
    "/api/admin/projects/webshop/api-tokens/…",
  ]);
});

it("keeps what is no secret", () => {
  const update = request("get", "/api/admin/invite-link/tokens/{token}", { params: { path: { token: "12" } } });
  expect(blankedAddress(update)).toBe("/api/admin/invite-link/tokens/12");
  const search = request("get", "/api/admin/search/features", { params: { query: { query: "new token" } } });
  expect(blankedAddress(search)).toBe("/api/admin/search/features?query=new+token");
});

it("keeps nothing of what a request says to be secret, whatever it holds", () => {
  const body = { passkey: { challengeId: "7f", credential: { id: "ab" } }, code: "123456", username: "ada" };
  expect(blanked(body, ["code", "passkey"])).toEqual({ passkey: "…", code: "…", username: "ada" });
});

it("keeps no password and no secret of a body", () => {
  expect(blanked({ token, password: "Tests-Grace-1", email: "grace@example.com" })).toEqual({
    token: "…",
    password: "…",
    email: "grace@example.com",
  });
});
