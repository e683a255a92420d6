import { IconBlocks, IconKey, IconPlugConnected, IconSettings, IconUsers, IconWebhook } from "@tabler/icons-react";
import { useMe } from "../../api/queries";

interface Area {
  name: string;
  to: string;
  key: string;
  icon: typeof IconKey;
}

/** What the left side leads to besides, for those who have business there. */
const everybody: readonly Area[] = [
  { name: "Configure", to: "/build", key: "g b", icon: IconBlocks },
  { name: "Applications", to: "/applications", key: "g a", icon: IconPlugConnected },
  { name: "API tokens", to: "/tokens", key: "g t", icon: IconKey },
  { name: "Integrations", to: "/integrations", key: "g n", icon: IconWebhook },
];

const administrators: readonly Area[] = [
  { name: "People", to: "/people", key: "g u", icon: IconUsers },
  { name: "Settings", to: "/settings", key: "g s", icon: IconSettings },
];

/** Pages below those areas, for the palette. */
const pages: Record<"everybody" | "administrators", readonly (readonly [string, string])[]> = {
  everybody: [
    ["Segments", "/build/segments"],
    ["Context fields", "/build/context"],
    ["Tags", "/build/tags"],
    ["Flag types", "/build/types"],
    ["Strategy types", "/build/strategies"],
    ["Environments", "/build/environments"],
    ["Edges", "/edges"],
    ["Unknown flags", "/unknown-flags"],
    ["Outdated SDKs", "/outdated-sdks"],
    ["Me", "/me/profile"],
    ["My tokens", "/me/tokens"],
    ["My sessions", "/me/sessions"],
    ["My password", "/me/password"],
    ["My second factor", "/me/security"],
  ],
  administrators: [
    ["Users", "/people/users"],
    ["Service accounts", "/people/programs"],
    ["Groups", "/people/groups"],
    ["Roles", "/people/roles"],
    ["Invites", "/people/invites"],
    ["Access requests", "/people/access-requests"],
    ["Active sessions", "/people/sessions"],
    ["Inactive users", "/people/inactive"],
    ["Access: who may do what", "/people/access"],
    ["Sign-in settings", "/settings/sign-in/oidc"],
    ["Login providers", "/settings/sign-in/providers"],
    ["Policy on accounts", "/settings/sign-in/accounts"],
    ["Sign-in log", "/settings/sign-in/log"],
    ["Banners", "/settings/banners"],
    ["Freezes", "/settings/freezes"],
    ["Instance", "/settings/instance"],
  ],
};

const isAdministrator = (held: readonly { permission: string }[]) =>
  held.some(({ permission }) => permission === "ADMIN");

export function useAdministration() {
  const held = useMe()?.permissions ?? [];
  return isAdministrator(held) ? [...everybody, ...administrators] : everybody;
}

export function useAdministrationPages() {
  const held = useMe()?.permissions ?? [];
  const listed = isAdministrator(held) ? [...pages.everybody, ...pages.administrators] : pages.everybody;
  return listed.map(([name, to]) => ({ name, to, icon: IconSettings }));
}
