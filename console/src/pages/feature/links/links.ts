import { request, type Schemas } from "../../../api/request";
import type { Shown } from "../shown";

type Template = Schemas["ProjectLinkTemplate"];

/** What the form of a link holds. */
export type Draft = { url: string; title: string };

const all = "/api/admin/projects/{projectId}/features/{featureName}/link";
const one = `${all}/{linkId}` as const;

const pathOf = ({ project, name }: Pick<Shown["feature"], "project" | "name">) => ({
  projectId: project,
  featureName: name,
});
const bodyOf = ({ url, title }: Draft) => ({ url: url.trim(), title: title.trim() || null });

type Named = Parameters<typeof pathOf>[0];

export const adding = (feature: Named, draft: Draft) =>
  request("post", all, { params: { path: pathOf(feature) }, body: bodyOf(draft) });
export const changing = (feature: Named, linkId: string, draft: Draft) =>
  request("put", one, { params: { path: { ...pathOf(feature), linkId } }, body: bodyOf(draft) });
export const removing = (feature: Named, linkId: string) =>
  request("delete", one, { params: { path: { ...pathOf(feature), linkId } } });

/** What a template of a project makes of a flag. */
export const filled = ({ urlTemplate, title }: Template, { project, name }: Named): Draft => ({
  url: urlTemplate.replaceAll("{{project}}", () => project).replaceAll("{{feature}}", () => name),
  title: title ?? "",
});

/** Why an address cannot be one of a link. Without a scheme it is one of `https`. */
export function urlObjection(url: string): string | undefined {
  const text = url.trim();
  if (text === "") return "An address is missing.";
  const written = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[^/]*:\d+(\/|$)/.test(text) ? text : `https://${text}`;
  if (!URL.canParse(written)) return "This is no address.";
  const { protocol, username, password } = new URL(written);
  if (protocol !== "http:" && protocol !== "https:") return "The address must begin with https:// or http://.";
  return username || password ? "The address must hold no user name and password." : undefined;
}

/** Why a template cannot be one: what it makes must be an address. */
export const templateObjection = (urlTemplate: string): string | undefined =>
  urlObjection(filled({ urlTemplate, title: null }, { project: "p", name: "f" }).url);
