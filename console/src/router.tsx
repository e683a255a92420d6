import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { parseSearch, stringifySearch, type Search } from "./api/address";
import { Frame } from "./parts/frame/Frame";
import { NotFound } from "./pages/not-found/NotFound";
import { Broken } from "./pages/not-found/Broken";
import { SignIn } from "./pages/sign-in/SignIn";
import { leadingTo } from "./redirects";

const asItIs = (search: Record<string, unknown>) => search as Search;

const top = createRootRoute({ notFoundComponent: NotFound, errorComponent: Broken, validateSearch: asItIs });
const signIn = createRoute({ getParentRoute: () => top, path: "/sign-in", component: SignIn });
const reset = createRoute({
  getParentRoute: () => top,
  path: "/reset",
  component: lazyRouteComponent(() => import("./pages/joining/ResetPage")),
});
const join = createRoute({
  getParentRoute: () => top,
  path: "/join",
  component: lazyRouteComponent(() => import("./pages/joining/JoinPage")),
});
const forgotten = createRoute({
  getParentRoute: () => top,
  path: "/forgotten",
  component: lazyRouteComponent(() => import("./pages/joining/ForgottenPage")),
});
const frame = createRoute({ getParentRoute: () => top, id: "frame", component: Frame, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/home/HomePage")),
});
const features = createRoute({
  getParentRoute: () => frame,
  path: "/features",
  component: lazyRouteComponent(() => import("./pages/features/FeaturesPage")),
});
const projectFeatures = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/features",
  component: lazyRouteComponent(() => import("./pages/features/FeaturesPage")),
});
const feature = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/features/$featureName",
  component: lazyRouteComponent(() => import("./pages/feature/FeaturePage")),
});
const featureTab = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/features/$featureName/$tab",
  component: lazyRouteComponent(() => import("./pages/feature/FeaturePage")),
});
const projects = createRoute({
  getParentRoute: () => frame,
  path: "/projects",
  component: lazyRouteComponent(() => import("./pages/projects/ProjectsPage")),
});
const history = createRoute({
  getParentRoute: () => frame,
  path: "/history",
  component: lazyRouteComponent(() => import("./pages/history/HistoryPage")),
});
const project = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId",
  component: lazyRouteComponent(() => import("./pages/project/ProjectPage")),
});
const projectTab = createRoute({
  getParentRoute: () => frame,
  path: "/projects/$projectId/$tab",
  component: lazyRouteComponent(() => import("./pages/project/ProjectPage")),
});
const insights = createRoute({
  getParentRoute: () => frame,
  path: "/insights",
  component: lazyRouteComponent(() => import("./pages/insights/InsightsPage")),
});
const playground = createRoute({
  getParentRoute: () => frame,
  path: "/playground",
  component: lazyRouteComponent(() => import("./pages/playground/PlaygroundPage")),
});
const importing = createRoute({
  getParentRoute: () => frame,
  path: "/import",
  component: lazyRouteComponent(() => import("./pages/import/ImportPage")),
});
const exporting = createRoute({
  getParentRoute: () => frame,
  path: "/export",
  component: lazyRouteComponent(() => import("./pages/import/ExportPage")),
});
const setup = createRoute({
  getParentRoute: () => frame,
  path: "/setup",
  component: lazyRouteComponent(() => import("./pages/setup/SetupPage")),
});
const welcome = createRoute({
  getParentRoute: () => frame,
  path: "/welcome",
  component: lazyRouteComponent(() => import("./pages/welcome/WelcomePage")),
});
const work = [project, projectTab, insights, playground, importing, exporting, setup, welcome] as const;

// What administrators do.
const tokens = createRoute({
  getParentRoute: () => frame,
  path: "/tokens",
  component: lazyRouteComponent(() => import("./pages/tokens/TokensPage")),
});
const integrations = createRoute({
  getParentRoute: () => frame,
  path: "/integrations",
  component: lazyRouteComponent(() => import("./pages/integrations/IntegrationsPage")),
});
const people = createRoute({
  getParentRoute: () => frame,
  path: "/people/$tab",
  component: lazyRouteComponent(() => import("./pages/people/PeoplePage")),
});
const access = createRoute({
  getParentRoute: () => frame,
  path: "/people/access",
  component: lazyRouteComponent(() => import("./pages/access/AccessPage")),
});
const signInSettings = createRoute({
  getParentRoute: () => frame,
  path: "/settings/sign-in/$tab",
  component: lazyRouteComponent(() => import("./pages/sign-in-settings/SignInSettingsPage")),
});
const instance = createRoute({
  getParentRoute: () => frame,
  path: "/settings/instance",
  component: lazyRouteComponent(() => import("./pages/instance/InstancePage")),
});
const banners = createRoute({
  getParentRoute: () => frame,
  path: "/settings/banners",
  component: lazyRouteComponent(() => import("./pages/banners/BannersPage")),
});
const build = createRoute({
  getParentRoute: () => frame,
  path: "/build/$tab",
  component: lazyRouteComponent(() => import("./pages/build/BuildPage")),
});
const applications = createRoute({
  getParentRoute: () => frame,
  path: "/applications",
  component: lazyRouteComponent(() => import("./pages/applications/ApplicationsPage")),
});
const application = createRoute({
  getParentRoute: () => frame,
  path: "/applications/$appName",
  component: lazyRouteComponent(() => import("./pages/applications/ApplicationPage")),
});
const edges = createRoute({
  getParentRoute: () => frame,
  path: "/edges",
  component: lazyRouteComponent(() => import("./pages/applications/EdgesPage")),
});
const myself = createRoute({
  getParentRoute: () => frame,
  path: "/me/$tab",
  component: lazyRouteComponent(() => import("./pages/me/MePage")),
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
  build,
  applications,
  application,
  edges,
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
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
