// The pages of everybody who works with flags, with something in every list.
import { ask } from "../api.mjs";

let name;
let event;
let person;

/** Something for every list. */
export async function prepare() {
  const { features } = await ask("/api/admin/search/features?project=IS:webshop&sortBy=name&limit=1");
  name = features[0].name;
  // A moment in a sentence, in a form, and in what an event changed.
  const after = { contextName: "currentTime", operator: "DATE_AFTER", value: "2031-02-01T10:00:00.000Z" };
  await ask(`/api/admin/projects/webshop/features/${name}/environments/development/strategies`, {
    method: "POST",
    body: { name: "default", constraints: [after] },
  });
  const { events } = await ask(`/api/admin/search/events?feature=IS:${name}&limit=1`);
  event = events[0].id;
  const project = "/api/admin/projects/webshop";
  // Somebody with a role, a token, and something in the archive: lists with something in them.
  const ada = { username: "ada-of-webshop", name: "Ada", password: "Tests-Ada-1", rootRole: 3, sendEmail: false };
  ({ id: person } = await ask("/api/admin/user-admin", { method: "POST", body: ada }));
  await ask(`${project}/access`, { method: "POST", body: { roles: [4], users: [person], groups: [] } });
  await ask(`${project}/api-tokens`, {
    method: "POST",
    body: { tokenName: "shop-server", type: "client", environment: "development", projects: ["webshop"] },
  });
  await ask(`${project}/features`, { method: "POST", body: { name: "archived-for-the-list" } });
  await ask(`${project}/features/archived-for-the-list`, { method: "DELETE" });
}

export const pages = {
  "sign-in": { path: () => "/sign-in", stranger: true },
  features: { path: () => "/features" },
  "features-none": { path: () => "/features?query=nothing-is-called-this&type=IS_ANY_OF:release" },
  "features-project": { path: () => "/projects/webshop/features?sortBy=name&sortOrder=asc" },
  "feature-new": { path: () => "/features?new=true", dialog: true },
  feature: { path: () => `/projects/webshop/features/${name}` },
  strategy: { path: () => `/projects/webshop/features/${name}?env=production&strategy=new`, dialog: true },
  variants: { path: () => `/projects/webshop/features/${name}/variants?env=production` },
  usage: { path: () => `/projects/webshop/features/${name}/usage` },
  "feature-history": { path: () => `/projects/webshop/features/${name}/history` },
  rewind: { path: () => `/projects/webshop/features/${name}/rewind` },
  "feature-settings": { path: () => `/projects/webshop/features/${name}/settings` },
  "feature-missing": { path: () => "/projects/webshop/features/nobody-made-this" },
  projects: { path: () => "/projects" },
  "projects-archived": { path: () => "/projects?archived=true" },
  "project-new": { path: () => "/projects?new=true", dialog: true },
  history: { path: () => "/history" },
  event: { path: () => `/history?event=${event}`, dialog: true },
  home: { path: () => "/" },
  project: { path: () => "/projects/webshop" },
  "project-health": { path: () => "/projects/webshop/health" },
  "project-history": { path: () => "/projects/webshop/history" },
  "project-archive": { path: () => "/projects/webshop/archive" },
  "project-archive-none": { path: () => "/projects/default/archive" },
  "project-environments": { path: () => "/projects/webshop/environments" },
  "default-strategy": { path: () => "/projects/webshop/environments?env=production", dialog: true },
  "project-access": { path: () => "/projects/webshop/access" },
  "project-people-add": { path: () => "/projects/webshop/access?new=true", dialog: true },
  "project-role": { path: () => "/projects/webshop/access?role=5", dialog: true },
  "project-person": { path: () => `/projects/webshop/access?user=${person}`, dialog: true },
  "project-tokens": { path: () => "/projects/webshop/tokens" },
  "project-token-new": { path: () => "/projects/webshop/tokens?new=true", dialog: true },
  "project-settings": { path: () => "/projects/webshop/settings" },
  "project-missing": { path: () => "/projects/nobody-made-this/health" },
  insights: { path: () => "/insights" },
  playground: { path: () => "/playground?project=webshop&environment=development&environment=production&userId=1,42" },
  "playground-empty": { path: () => "/playground" },
  "playground-why": {
    path: () => `/playground?project=webshop&environment=production&userId=1,42&feature=${name}`,
    dialog: true,
  },
  import: { path: () => "/import" },
  export: { path: () => "/export" },
  setup: { path: () => "/setup" },
  "setup-project": { path: () => "/setup?language=node&project=webshop&environment=development" },
  welcome: { path: () => "/welcome" },
  "unknown-flags": { path: () => "/unknown-flags" },
  "outdated-sdks": { path: () => "/outdated-sdks" },
  "not-found": { path: () => "/nothing/here" },
};
