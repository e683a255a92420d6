import { expect, it } from "vitest";
import type { Ask } from "../../api/proposals";
import { request } from "../../api/request";
import { expectedImpact, partsOf, type Live } from "./expected";

const feature = "/api/admin/projects/{projectId}/features/{featureName}";
const on = (environment: string) =>
  request("post", `${feature}/environments/{environment}/on`, {
    params: { path: { projectId: "shop", featureName: "checkout", environment } },
  });
const archive = request("delete", feature, { params: { path: { projectId: "shop", featureName: "basket" } } });
const rename = request("patch", feature, {
  params: { path: { projectId: "shop", featureName: "basket" } },
  body: [{ op: "replace", path: "/description", value: "…" }],
});
const live: Live = (project) => Promise.resolve(project === "shop" ? ["production", "eu"] : []);
const never: Ask = () => Promise.reject(new Error("nothing is asked"));

it("asks about production alone, about all of it together, and in its order", async () => {
  expect(await partsOf([on("test"), rename], live, never)).toEqual([]);
  expect(await partsOf([on("production"), archive, on("eu")], live, never)).toEqual([
    {
      project: "shop",
      environment: "production",
      changes: [
        { feature: "checkout", action: "updateEnabled", payload: { enabled: true } },
        { feature: "basket", action: "archiveFeature" },
      ],
    },
    {
      project: "shop",
      environment: "eu",
      changes: [{ feature: "checkout", action: "updateEnabled", payload: { enabled: true } }],
    },
  ]);
});

it("tells of production, most noticed flags first", async () => {
  const asked: string[] = [];
  const impact = (name: string, environment: string, share: number) => ({
    feature: name,
    environment,
    changed: { share },
  });
  const ask = ((planned) => {
    asked.push(planned.operation.id);
    return Promise.resolve({
      features: [impact("a", "production", 0.1), impact("a", "test", 1), impact("b", "production", 0.5)],
      leftOut: 0,
    });
  }) as Ask;
  const found = await expectedImpact([archive], live, ask);
  expect(found.map((one) => [one.feature, one.environment])).toEqual([
    ["b", "production"],
    ["a", "production"],
  ]);
  expect(asked).toEqual(["getImpactOfChanges"]);
});

it("asks nothing about more changes than are worth it", async () => {
  const names = Array.from({ length: 201 }, (_, at) => `f${at}`);
  const many = request("post", "/api/admin/projects/{projectId}/archive", {
    params: { path: { projectId: "shop" } },
    body: { features: names },
  });
  expect(await partsOf([many], live, never)).toEqual([]);
});
