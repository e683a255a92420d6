import type { Schemas } from "../../api/request";
import { isProduction } from "../EnvironmentName";
import { tagInWords } from "../tags";
import { counted, number } from "../../words/counts";

type Found = Schemas["SearchFeature"];
type Tag = Schemas["Tag"];

/** A feature by its name and place. */
export type Named = Pick<Found, "project" | "name">;
export const idOf = ({ project, name }: Named) => `${project}/${name}`;

/** A feature that was chosen, with what is known of it where it was. */
export interface Selected extends Named {
  tags?: Tag[] | null;
  dependencyType?: Found["dependencyType"];
  environments?: readonly { name: string; type?: string; enabled: boolean }[];
}

/** What can be done to many features at once. */
export type Task =
  | { kind: "switch"; environment: string; enabled: boolean }
  | { kind: "stale"; stale: boolean }
  | { kind: "tag"; added: Tag[]; removed: Tag[] }
  | { kind: "move"; to: string }
  | { kind: "archive" }
  | { kind: "revive" };

/** The button of a task: for all of them, or for so many as can. */
export function inWords(task: Task, count?: number): string {
  const them = count === undefined ? "" : count === 1 ? " the other one" : ` the ${number(count)}`;
  switch (task.kind) {
    case "switch":
      return `Switch ${task.enabled ? "on" : "off"}${them} in ${task.environment}`;
    case "stale":
      return `Mark${them} as ${task.stale ? "stale" : "not stale"}`;
    case "tag":
      return task.added.length ? `Tag${them || " them"}` : `Remove tags from${them || " them"}`;
    case "move":
      return `Move${them || " them"} to ${task.to}`;
    case "archive":
      return `Archive${them}`;
    case "revive":
      return `Revive${them}`;
  }
}

/** What is so of each feature afterwards. */
export function doneInWords(task: Task): string {
  switch (task.kind) {
    case "switch":
      return `switched ${task.enabled ? "on" : "off"} in ${task.environment}`;
    case "stale":
      return `marked as ${task.stale ? "stale" : "not stale"}`;
    case "tag":
      return [
        task.added.length ? `tagged ${task.added.map(tagInWords).join(", ")}` : "",
        task.removed.length ? `untagged ${task.removed.map(tagInWords).join(", ")}` : "",
      ]
        .filter(Boolean)
        .join(" and ");
    case "move":
      return `moved to ${task.to}`;
    case "archive":
      return "archived";
    case "revive":
      return "revived";
  }
}

/** What taking it back does. */
export function undoInWords(task: Task): string {
  switch (task.kind) {
    case "switch":
      return `Switch ${task.enabled ? "off" : "on"} again in ${task.environment}`;
    case "stale":
      return task.stale ? "Mark as not stale again" : "Mark as stale again";
    case "tag":
      return "Restore the tags";
    case "move":
      return "Move them back";
    case "archive":
      return "Revive them";
    case "revive":
      return "Archive them again";
  }
}

const flags = (count: number) => counted(count, "flag");

/** What comes of a task, before it is done: how many can, how many cannot, how many need nothing. */
export function verdict(task: Task, counts: { changed: number; same: number; cannot: number }): string {
  const { changed, same, cannot } = counts;
  const said = doneInWords(task);
  const main = cannot
    ? `${number(changed)} can be ${said}; ${number(cannot)} cannot:`
    : changed
      ? `${flags(changed)} will be ${said}.`
      : "Nothing changes.";
  if (!same) return main;
  return `${main} ${same === 1 ? "1 is" : `${number(same)} are`} like that already.`;
}

/** The environments of production that the task takes effect in. */
export function productionOf(task: Task, { environments = [] }: Selected): string[] {
  const production = environments.filter(({ type }) => isProduction(type));
  switch (task.kind) {
    case "switch":
      return production.filter(({ name }) => name === task.environment).map(({ name }) => name);
    case "archive":
      return production.filter(({ enabled }) => enabled).map(({ name }) => name);
    default:
      return [];
  }
}
