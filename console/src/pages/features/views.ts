import type { Search } from "../../api/address";

/** A list with its filters and order, under a name. */
export interface View {
  name: string;
  /** Of the project's own page; absent for all projects. */
  projectId?: string;
  search: Search;
}

/** What belongs to one visit, and not to a view. */
const passing: readonly string[] = ["offset", "new"];

export function viewOf(name: string, projectId: string | undefined, search: Search): View {
  const kept = Object.entries(search).filter(([key, value]) => !passing.includes(key) && value !== undefined);
  return { name, projectId, search: Object.fromEntries(kept) };
}

/** One of a name takes the place of the other; the others stay, by name. */
export const withView = (views: readonly View[], view: View): View[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((one, other) => one.name.localeCompare(other.name));

export const withoutView = (views: readonly View[], gone: string): View[] => views.filter(({ name }) => name !== gone);

const sorted = ({ projectId, search }: View) =>
  JSON.stringify([projectId, Object.entries(search).sort(([one], [other]) => (one < other ? -1 : 1))]);

/** The view that is shown now, if it is one. */
export const currentView = (
  views: readonly View[],
  projectId: string | undefined,
  search: Search,
): View | undefined => {
  const shown = sorted(viewOf("", projectId, search));
  return views.find((view) => sorted(view) === shown);
};
