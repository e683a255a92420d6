import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { parseSearch, stringifySearch, type Search } from "./api/address";
import { arriving } from "./parts/arriving";
import { Frame } from "./parts/frame/Frame";
import { NotFound } from "./pages/not-found/NotFound";
import { Broken } from "./pages/not-found/Broken";
import { SignIn } from "./pages/sign-in/SignIn";
import { leadingTo, onlySignedIn } from "./redirects";

const asItIs = (search: Record<string, unknown>) => search as Search;

const top = createRootRoute({ notFoundComponent: NotFound, errorComponent: Broken, validateSearch: asItIs });
const signIn = createRoute({ getParentRoute: () => top, path: "/sign-in", component: SignIn });
const reset = createRoute({
  getParentRoute: () => top,
  path: "/reset",
  component: arriving(() => import("./pages/joining/ResetPage")),
});
const join = createRoute({
  getParentRoute: () => top,
  path: "/join",
  component: arriving(() => import("./pages/joining/JoinPage")),
});
const forgotten = createRoute({
  getParentRoute: () => top,
  path: "/forgotten",
  component: arriving(() => import("./pages/joining/ForgottenPage")),
});
const frame = createRoute({
  getParentRoute: () => top,
  id: "frame",
  component: Frame,
  notFoundComponent: NotFound,
  beforeLoad: onlySignedIn,
});

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  component: arriving(() => import("./pages/home/HomePage")),
});
const features = createRoute({
  getParentRoute: () => frame,
  path: "/features",
  component: arriving(() => import("./pages/features/FeaturesPage")),
});
const projectFeatures = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/features",
  component: arriving(() => import("./pages/features/FeaturesPage")),
});
const feature = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/features/$featureName",
  component: arriving(() => import("./pages/feature/FeaturePage")),
});
const featureTab = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/features/$featureName/$tab",
  component: arriving(() => import("./pages/feature/FeaturePage")),
});
const projects = createRoute({
  getParentRoute: () => frame,
  path: "/projects",
  component: arriving(() => import("./pages/projects/ProjectsPage")),
});
const history = createRoute({
  getParentRoute: () => frame,
  path: "/history",
  component: arriving(() => import("./pages/history/HistoryPage")),
});
const project = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId",
  component: arriving(() => import("./pages/project/ProjectPage")),
});
const projectTab = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/$tab",
  component: arriving(() => import("./pages/project/ProjectPage")),
});
const changeRequest = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/change-requests/$id",
  component: arriving(() => import("./pages/change-request/ChangeRequestPage")),
});
const changeRequests = createRoute({
  getParentRoute: () => frame,
  path: "/change-requests",
  component: arriving(() => import("./pages/change-requests/ChangeRequestsPage")),
});
const insights = createRoute({
  getParentRoute: () => frame,
  path: "/insights",
  component: arriving(() => import("./pages/insights/InsightsPage")),
});
const playground = createRoute({
  getParentRoute: () => frame,
  path: "/playground",
  component: arriving(() => import("./pages/playground/PlaygroundPage")),
});
const importing = createRoute({
  getParentRoute: () => frame,
  path: "/import",
  component: arriving(() => import("./pages/import/ImportPage")),
});
const exporting = createRoute({
  getParentRoute: () => frame,
  path: "/export",
  component: arriving(() => import("./pages/import/ExportPage")),
});
const setup = createRoute({
  getParentRoute: () => frame,
  path: "/setup",
  component: arriving(() => import("./pages/setup/SetupPage")),
});
const welcome = createRoute({
  getParentRoute: () => frame,
  path: "/welcome",
  component: arriving(() => import("./pages/welcome/WelcomePage")),
});
const work = [
  project,
  projectTab,
  changeRequest,
  changeRequests,
  insights,
  playground,
  importing,
  exporting,
  setup,
  welcome,
] as const;

// What administrators do.
const tokens = createRoute({
  getParentRoute: () => frame,
  path: "/tokens",
  component: arriving(() => import("./pages/tokens/TokensPage")),
});
const integrations = createRoute({
  getParentRoute: () => frame,
  path: "/integrations",
  component: arriving(() => import("./pages/integrations/IntegrationsPage")),
});
const people = createRoute({
  getParentRoute: () => frame,
  path: "/people/$tab",
  component: arriving(() => import("./pages/people/PeoplePage")),
});
const access = createRoute({
  getParentRoute: () => frame,
  path: "/people/access",
  component: arriving(() => import("./pages/access/AccessPage")),
});
const signInSettings = createRoute({
  getParentRoute: () => frame,
  path: "/settings/sign-in/$tab",
  component: arriving(() => import("./pages/sign-in-settings/SignInSettingsPage")),
});
const instance = createRoute({
  getParentRoute: () => frame,
  path: "/settings/instance",
  component: arriving(() => import("./pages/instance/InstancePage")),
});
const banners = createRoute({
  getParentRoute: () => frame,
  path: "/settings/banners",
  component: arriving(() => import("./pages/banners/BannersPage")),
});
const freezes = createRoute({
  getParentRoute: () => frame,
  path: "/settings/freezes",
  component: arriving(() => import("./pages/freezes/FreezesPage")),
});
const build = createRoute({
  getParentRoute: () => frame,
  path: "/build/$tab",
  component: arriving(() => import("./pages/build/BuildPage")),
});
const environmentRewind = createRoute({
  getParentRoute: () => frame,
  path: "/build/environments/$name/rewind",
  component: arriving(() => import("./pages/build/environments/rewind/EnvironmentRewindPage")),
});
const segmentRewind = createRoute({
  getParentRoute: () => frame,
  path: "/build/segments/$id/rewind",
  component: arriving(() => import("./pages/build/segments/rewind/SegmentRewindPage")),
});
const applications = createRoute({
  getParentRoute: () => frame,
  path: "/applications",
  component: arriving(() => import("./pages/applications/ApplicationsPage")),
});
const application = createRoute({
  getParentRoute: () => frame,
  path: "/applications/$appName",
  component: arriving(() => import("./pages/applications/ApplicationPage")),
});
const edges = createRoute({
  getParentRoute: () => frame,
  path: "/edges",
  component: arriving(() => import("./pages/applications/EdgesPage")),
});
const unknownFlags = createRoute({
  getParentRoute: () => frame,
  path: "/unknown-flags",
  component: arriving(() => import("./pages/applications/UnknownFlagsPage")),
});
const outdatedSdks = createRoute({
  getParentRoute: () => frame,
  path: "/outdated-sdks",
  component: arriving(() => import("./pages/applications/OutdatedSdksPage")),
});
const myself = createRoute({
  getParentRoute: () => frame,
  path: "/me/$tab",
  component: arriving(() => import("./pages/me/MePage")),
});
const below = ([path, to]: readonly [string, string]) =>
  createRoute({ getParentRoute: () => frame, path, beforeLoad: leadingTo(to) });
const firstPages = (
  [
    ["/people", "/people/users"],
    ["/settings", "/settings/instance"],
    ["/settings/sign-in", "/settings/sign-in/oidc"],
    ["/build", "/build/segments"],
    ["/me", "/me/profile"],
  ] as const
).map(below);
const administration = [
  tokens,
  integrations,
  people,
  access,
  signInSettings,
  instance,
  banners,
  freezes,
  build,
  environmentRewind,
  segmentRewind,
  applications,
  application,
  edges,
  unknownFlags,
  outdatedSdks,
  myself,
  ...firstPages,
] as const;

const lost = createRoute({ getParentRoute: () => frame, path: "$", component: NotFound });

export const router = createRouter({
  routeTree: top.addChildren([
    signIn,
    reset,
    join,
    forgotten,
    frame.addChildren([
      home,
      features,
      projectFeatures,
      feature,
      featureTab,
      projects,
      history,
      ...work,
      ...administration,
      lost,
    ]),
  ]),
  basepath: new URL(document.baseURI).pathname,
  parseSearch,
  stringifySearch,
  defaultErrorComponent: Broken,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
