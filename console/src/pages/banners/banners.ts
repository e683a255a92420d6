import { request, type Schemas } from "../../api/request";

export type Banner = Schemas["Banner"];

/** Types of banners by their names. */
export const variants: Record<Banner["variant"], string> = {
  info: "Information",
  warning: "Warning",
  error: "Error",
  success: "Success",
};

/** A banner in a form, where what is absent is empty. */
export type Draft = {
  message: string;
  enabled: boolean;
  variant: Banner["variant"];
  sticky: boolean;
  leads: "nowhere" | "address" | "dialog";
  link: string;
  linkText: string;
  dialogTitle: string;
  dialog: string;
  /** As it was, since no form here chooses symbols. */
  icon: string | null;
};

export const blank: Draft = {
  message: "",
  enabled: true,
  variant: "info",
  sticky: false,
  leads: "nowhere",
  link: "",
  linkText: "",
  dialogTitle: "",
  dialog: "",
  icon: null,
};

export const draftOf = (banner: Banner): Draft => ({
  message: banner.message,
  enabled: banner.enabled,
  variant: banner.variant,
  sticky: banner.sticky,
  leads: banner.link === "dialog" ? "dialog" : banner.link ? "address" : "nowhere",
  link: banner.link === "dialog" ? "" : (banner.link ?? ""),
  linkText: banner.linkText ?? "",
  dialogTitle: banner.dialogTitle ?? "",
  dialog: banner.dialog ?? "",
  icon: banner.icon,
});

const orNull = (text: string) => text.trim() || null;

/** What is sent: where a banner leads nowhere, nothing is said of its link. */
export function contentOf(draft: Draft): Schemas["CreateBanner"] {
  const { message, enabled, variant, sticky, leads, icon } = draft;
  const leadsOn = leads !== "nowhere";
  return {
    message: message.trim(),
    enabled,
    variant,
    sticky,
    icon,
    link: leads === "dialog" ? "dialog" : leadsOn ? orNull(draft.link) : null,
    linkText: leadsOn ? orNull(draft.linkText) : null,
    dialogTitle: leads === "dialog" ? orNull(draft.dialogTitle) : null,
    dialog: leads === "dialog" ? orNull(draft.dialog) : null,
  };
}

/** Why a banner cannot be saved like this. */
export function objectionTo({ message, leads, link, dialog }: Draft): string | undefined {
  if (!message.trim()) return "Say something.";
  if (leads === "address" && !link.trim()) return "Say where the link leads.";
  if (leads === "dialog" && !dialog.trim()) return "Say what the dialog says.";
  return undefined;
}

export const planNew = (draft: Draft) => request("post", "/api/admin/banners", { body: contentOf(draft) });

export const planChange = (id: number, draft: Draft) =>
  request("put", "/api/admin/banners/{id}", { params: { path: { id } }, body: contentOf(draft) });

export const planSwitch = (id: number, on: boolean) =>
  on
    ? request("post", "/api/admin/banners/{id}/on", { params: { path: { id } } })
    : request("post", "/api/admin/banners/{id}/off", { params: { path: { id } } });
