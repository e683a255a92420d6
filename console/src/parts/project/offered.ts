import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMe, useProjects } from "../../api/queries";
import type { Schemas } from "../../api/request";

type Project = Pick<Schemas["Project"], "id" | "favorite" | "createdAt" | "owners">;

const stored = "flagstone.project";

/** The project that something new belongs to most likely: the last used one, else an own one, else a favourite. */
export function offered(
  projects: readonly Project[],
  last: string | null,
  me: { name?: string; username?: string; email?: string } | undefined,
): string | undefined {
  const mine = [me?.name, me?.username, me?.email].filter(Boolean);
  const isMine = ({ owners }: Project) =>
    owners?.some(({ name, email }) => (name && mine.includes(name)) || (email && mine.includes(email)));
  const newest = [...projects].sort((one, other) => (other.createdAt ?? "").localeCompare(one.createdAt ?? ""));
  const found =
    projects.find(({ id }) => id === last) ??
    newest.find(isMine) ??
    newest.find(({ favorite }) => favorite) ??
    projects[0];
  return found?.id;
}

export const useOfferedProject = () => offered(useProjects(), localStorage.getItem(stored), useMe()?.user);

/** The project of a page of the console, or nothing where it is of none. */
export const projectOf = (pathname: string) => {
  const [, id] = /\/projects\/([^/]+)/.exec(pathname) ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
};

/** Keeps in mind the project that was looked at last. */
export function useLastProject() {
  const { pathname } = useLocation();
  useEffect(() => {
    const id = projectOf(pathname);
    if (id) localStorage.setItem(stored, id);
  }, [pathname]);
}
