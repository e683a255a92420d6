import { IconFolders, IconPlugConnected, IconUsersGroup } from "@tabler/icons-react";
import { useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";

interface Thing {
  kind: string;
  name: string;
  /** Below the console's own address. */
  to: string;
  icon: typeof IconFolders;
}

/** As many of each as leave room for the others. */
const most = 5;

const address = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** Projects, segments and applications whose name or id contains a text; none without one. */
export function useThings(wanted: string): Thing[] {
  const isSearch = wanted !== "";
  const projects = useProjects();
  const options = { enabled: isSearch, staleTime: 60_000 };
  const segments = useRead(request("get", "/api/admin/segments"), options).data?.segments ?? [];
  const query = { query: wanted || undefined, limit: String(most) };
  const applications = useRead(request("get", "/api/admin/metrics/applications", { params: { query } }), options);
  if (!isSearch) return [];
  const fits = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(wanted));
  const found: Thing[][] = [
    projects
      .filter(({ id, name }) => fits(id, name))
      .map(({ id, name }) => ({ kind: "project", name, to: address(`/projects/${id}`), icon: IconFolders })),
    segments
      .filter(({ name }) => fits(name))
      .map(({ id, name }) => ({ kind: "segment", name, to: `/build/segments?open=${id}`, icon: IconUsersGroup })),
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
