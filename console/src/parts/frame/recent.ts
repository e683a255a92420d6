/** A page that was visited, by its address below the console's and what its window was called. */
export interface Visited {
  to: string;
  name: string;
}

const stored = "flagstone.recent";
const most = 8;

/** The list with one more visit, the newest first, each page once. */
export const withVisit = (before: readonly Visited[], visit: Visited): Visited[] =>
  [visit, ...before.filter(({ to }) => to !== visit.to)].slice(0, most);

/** What the window's title says of the page, without the name of the console. */
export const nameOfPage = (title: string) => title.replace(/ ?·? ?Flagstone$/, "");

const thing = /^\/projects\/[^/]+(?:\/features\/[^/]+)?|^\/applications\/[^/]+/;

/** Whether two addresses are tabs of one project, flag or application. */
export function isSameThing(one: string, other: string): boolean {
  const [of, and] = [one, other].map((path) => thing.exec(path)?.[0]);
  return of !== undefined && of === and;
}

interface Kept {
  person: number;
  pages: Visited[];
}

function kept(): Kept | undefined {
  try {
    return JSON.parse(localStorage.getItem(stored) ?? "null") as Kept | undefined;
  } catch {
    return undefined;
  }
}

/** The pages that this person visited last in this browser: nobody sees those of another. */
export function visitedBy(person: number): Visited[] {
  const found = kept();
  return found?.person === person ? found.pages : [];
}

export const remember = (person: number, visit: Visited) =>
  localStorage.setItem(stored, JSON.stringify({ person, pages: withVisit(visitedBy(person), visit) }));
