import { IconFolder, IconFolders, IconKey, IconPlugConnected, IconUser, IconUsersGroup } from "@tabler/icons-react";
import { useMe, useProjects, useRead } from "../../api/queries";
import { refusalFor } from "../../api/permissions";
import { request } from "../../api/request";
import { nameOf } from "../people";
import { useOfferedProject } from "../project/offered";
import { projectTabs } from "../project/ProjectTabs";

export interface Thing {
  kind: string;
  name: string;
  /** Below the console's own address. */
  to: string;
  icon: typeof IconFolders;
}

/** As many of each as leave room for the others. */
const most = 5;

const address = (path: string) => path.split("/").map(encodeURIComponent).join("/");

const users = request("get", "/api/admin/user-admin");
const tokens = request("get", "/api/admin/api-tokens");

/**
 * Projects, segments, people, API tokens, applications and pages of the project at hand whose name or id contains a text;
 * none without one.
 */
export function useThings(wanted: string): Thing[] {
  const isSearch = wanted !== "";
  const held = useMe()?.permissions ?? [];
  const projects = useProjects();
  const atHand = useOfferedProject();
  const options = { enabled: isSearch, staleTime: 60_000 };
  const allowed = ({ operation }: typeof users | typeof tokens) => ({
    ...options,
    enabled: isSearch && !refusalFor(held, operation, {}),
  });
  const segments = useRead(request("get", "/api/admin/segments"), options).data?.segments ?? [];
  const people = useRead(users, allowed(users)).data?.users ?? [];
  const known = useRead(tokens, allowed(tokens)).data?.tokens ?? [];
  const query = { query: wanted || undefined, limit: String(most) };
  const applications = useRead(request("get", "/api/admin/metrics/applications", { params: { query } }), options);
  if (!isSearch) return [];
  const fits = (...texts: (string | null | undefined)[]) => texts.some((text) => text?.toLowerCase().includes(wanted));
  const here = projects.filter(({ id }) => id === atHand);
  const found: Thing[][] = [
    here.flatMap(({ id, name }) =>
      Object.entries(projectTabs)
        .filter(([, label]) => fits(label))
        .map(([tab, label]) => ({
          kind: `of ${name}`,
          name: label,
          to: address(`/projects/${id}${tab === "overview" ? "" : `/${tab}`}`),
          icon: IconFolder,
        })),
    ),
    projects
      .filter(({ id, name }) => fits(id, name))
      .map(({ id, name }) => ({ kind: "project", name, to: address(`/projects/${id}`), icon: IconFolders })),
    segments
      .filter(({ name }) => fits(name))
      .map(({ id, name }) => ({ kind: "segment", name, to: `/build/segments?open=${id}`, icon: IconUsersGroup })),
    people
      .filter(({ name, username, email }) => fits(name, username, email))
      .map((one) => ({ kind: "user", name: nameOf(one), to: `/people/users?user=${one.id}`, icon: IconUser })),
    known
      .filter(({ tokenName }) => fits(tokenName))
      .map(({ tokenName }) => ({
        kind: "API token",
        name: tokenName,
        to: `/tokens?query=${encodeURIComponent(tokenName)}`,
        icon: IconKey,
      })),
    (applications.data?.applications ?? [])
      .filter(({ appName }) => fits(appName))
      .map(({ appName }) => ({
        kind: "application",
        name: appName,
        to: address(`/applications/${appName}`),
        icon: IconPlugConnected,
      })),
  ];
  return found.flatMap((some) => some.slice(0, most));
}
