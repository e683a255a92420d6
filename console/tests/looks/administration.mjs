// The pages of administrators, with something in every list.
import assert from "node:assert/strict";
import { ask } from "../api.mjs";

const api = "/api/admin";
const post = (path, body) => ask(api + path, { method: "POST", body });
const viewer = { username: "looks-only", password: "Tests-Viewer-1" };
const made = {};

/** Something for every list. */
export async function prepare() {
  made.user = (await post("/user-admin", { ...viewer, rootRole: 3, name: "Looks only", sendEmail: false })).id;
  made.account = (await post("/service-account", { name: "Deployments", username: "deployer", rootRole: 2 })).id;
  const ends = new Date(Date.now() + 86_400_000).toISOString();
  await post(`/service-account/${made.account}/token`, { description: "pipeline", expiresAt: ends });
  made.banner = (await post("/banners", { message: "Maintenance at noon", variant: "warning", enabled: false })).id;
  const grants = [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "development" }, { name: "UPDATE_FEATURE" }];
  made.role = (await post("/roles", { name: "Switcher of pages", permissions: grants })).roles.id;
  const group = { name: "Shop team", description: "Those who sell", mappingsSSO: ["shop"] };
  made.group = (await post("/groups", { ...group, users: [{ user: { id: made.user } }] })).id;
  await post(`/projects/webshop/access`, { roles: [made.role], groups: [made.group], users: [] });
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  await post("/invite-link/tokens", { name: "Newcomers", expiresAt });
  await post("/scim-settings/directories", { name: "Directory of pages" });
  await prepareProviders();
  await post("/strategies", { name: "gradual", title: "Gradual", parameters: [{ name: "share", type: "percentage" }] });
  await post("/environments", { name: "staging-of-pages", type: "preproduction", enabled: false });
  const webhook = {
    provider: "webhook",
    enabled: true,
    description: "Tells the release desk",
    parameters: { url: "http://127.0.0.1:9/nobody-listens" },
    events: ["feature-environment-enabled", "feature-environment-disabled", "environment-created"],
  };
  made.integration = (await post("/addons", webhook)).id;
  await post("/environments", { name: "told-of-by-pages", type: "test", enabled: true });
  const { segments } = await ask(`${api}/segments`);
  made.segment = segments[0].id;
  const { tags } = await ask(`${api}/tags`);
  made.tag = `${tags[0].type}:${tags[0].value}`;
  await registerProgram("shop");
  await reportEdge();
}

/** Login providers that nobody comes in through: their buttons are on no other page. */
async function prepareProviders() {
  const client = { clientId: "flagstone", secret: "of-pages" };
  const rules = { autoCreate: true, linkByEmail: true, rootRoles: [{ claim: "hd", value: "example.com", roleId: 2 }] };
  const google = { id: "google-of-pages", kind: "google", label: "Google", settings: client, rules };
  const settings = { ...client, serverUrl: "https://id.example.com", realm: "company" };
  for (const body of [google, { id: "keycloak-of-pages", kind: "keycloak", label: "Contractors", settings }])
    await post("/auth/providers", body);
}

async function registerProgram(appName) {
  const headers = { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" };
  const body = {
    appName,
    instanceId: "one",
    sdkVersion: "unleash-client-node:3.0.0",
    started: new Date().toISOString(),
    interval: 10,
    strategies: ["default", "ownThing"],
  };
  await fetch(`${process.env.FLAGSTONE_URL}/api/client/register`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
}

/** As an edge tells about itself, and about one behind it. */
async function reportEdge() {
  const headers = { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" };
  const behind = { identifier: "in-the-tram", appName: "trams", edgeVersion: "0.1.0", connectedStreamingClients: 3 };
  const body = {
    identifier: "graz-1",
    appName: "edges-of-pages",
    region: "graz",
    edgeVersion: "0.1.0",
    started: new Date().toISOString(),
    connectedStreamingClients: 7,
    connectedPrograms: 12,
    stateAgeSeconds: 600,
    ready: true,
    connectedEdges: [{ ...behind, connectedPrograms: 3, connectedEdges: [] }],
  };
  const answer = await fetch(`${process.env.FLAGSTONE_URL}/api/client/metrics/edge`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 202, await answer.text());
}

const at = (path, more = {}) => ({ path: () => path, ...more });
const drawer = (path) => ({ path, dialog: true });
const refused = (path) => ({ path: () => path, as: () => viewer });

export const pages = {
  tokens: at("/tokens"),
  "token-new": at("/tokens?new=true", { dialog: true }),
  "tokens-none": at("/tokens?query=nothing-is-called-this"),
  "tokens-refused": refused("/tokens"),
  integrations: at("/integrations"),
  "integrations-none": at("/integrations?query=nothing-is-called-this"),
  "integration-new": at("/integrations?new=true", { dialog: true }),
  integration: drawer(() => `/integrations?open=${made.integration}`),
  "integration-log": drawer(() => `/integrations?open=${made.integration}&tab=log`),
  "integration-log-refused": { ...drawer(() => `/integrations?open=${made.integration}&tab=log`), as: () => viewer },
  users: at("/people/users"),
  "service-accounts": at("/people/programs"),
  "service-account-new": at("/people/programs?new=true", { dialog: true }),
  "service-account": drawer(() => `/people/programs?account=${made.account}`),
  "service-accounts-refused": refused("/people/programs"),
  banners: at("/settings/banners"),
  "banner-new": at("/settings/banners?new=true", { dialog: true }),
  banner: drawer(() => `/settings/banners?banner=${made.banner}`),
  "banners-viewer": refused("/settings/banners"),
  "user-new": at("/people/users?new=true", { dialog: true }),
  user: drawer(() => `/people/users?user=${made.user}`),
  "users-refused": refused("/people/users"),
  groups: at("/people/groups"),
  group: drawer(() => `/people/groups?group=${made.group}`),
  roles: at("/people/roles"),
  role: drawer(() => `/people/roles?role=${made.role}`),
  "role-built-in": at("/people/roles?role=5", { dialog: true }),
  "role-new": at("/people/roles?new=true", { dialog: true }),
  invites: at("/people/invites"),
  "invite-new": at("/people/invites?new=true", { dialog: true }),
  sessions: at("/people/sessions"),
  "sessions-refused": refused("/people/sessions"),
  "access-requests": at("/people/access-requests"),
  "access-requests-refused": refused("/people/access-requests"),
  inactive: at("/people/inactive"),
  access: at("/people/access"),
  "access-person": drawer(() => `/people/access?user=${made.user}&in=webshop&environment=development`),
  "access-program": drawer(() => `/people/access?user=${made.account}`),
  "access-refused": refused("/people/access"),
  "sign-in-oidc": at("/settings/sign-in/oidc"),
  "sign-in-saml": at("/settings/sign-in/saml"),
  "sign-in-password": at("/settings/sign-in/password"),
  "sign-in-policy": at("/settings/sign-in/policy"),
  "sign-in-accounts": at("/settings/sign-in/accounts"),
  "sign-in-scim": at("/settings/sign-in/scim"),
  "scim-directory-new": at("/settings/sign-in/scim?new=true", { dialog: true }),
  "login-providers": at("/settings/sign-in/providers"),
  "login-provider-new": at("/settings/sign-in/providers?new=true", { dialog: true }),
  "login-provider": at("/settings/sign-in/providers?provider=google-of-pages", { dialog: true }),
  "sign-in-log": at("/settings/sign-in/log"),
  "sign-in-refused": refused("/settings/sign-in/oidc"),
  segments: at("/build/segments"),
  segment: drawer(() => `/build/segments?open=${made.segment}`),
  "segment-new": at("/build/segments?new=true", { dialog: true }),
  "context-fields": at("/build/context"),
  "context-field": at("/build/context?open=country", { dialog: true }),
  tags: at("/build/tags"),
  tag: drawer(() => `/build/tags?open=${encodeURIComponent(made.tag)}`),
  "tag-types": at("/build/tags?kind=types"),
  "tag-type": at("/build/tags?kind=types&open=simple", { dialog: true }),
  "feature-types": at("/build/types"),
  "feature-type": at("/build/types?open=release", { dialog: true }),
  "strategy-types": at("/build/strategies"),
  "strategy-type": at("/build/strategies?open=gradual", { dialog: true }),
  environments: at("/build/environments"),
  environment: at("/build/environments?open=staging-of-pages", { dialog: true }),
  "environment-clone": at("/build/environments?clone=production", { dialog: true }),
  "environment-rewind": at("/build/environments/production/rewind"),
  instance: at("/settings/instance"),
  "instance-refused": refused("/settings/instance"),
  "my-sessions": at("/me/sessions"),
  me: at("/me/profile"),
  "me-viewer": refused("/me/profile"),
  "my-tokens": at("/me/tokens"),
  "my-token-new": at("/me/tokens?new=true", { dialog: true }),
  "my-password": at("/me/password"),
  "my-second-factor": at("/me/security"),
  "my-look": at("/me/look"),
  programs: at("/applications"),
  program: at("/applications/shop"),
  edges: at("/edges"),
  "program-missing": at("/applications/nobody-runs-this"),
};
