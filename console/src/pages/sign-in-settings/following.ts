import { request, type Schemas } from "../../api/request";

export type Following = Schemas["SamlMetadataRefresh"];

/** Whether settings of SAML follow metadata, as a form has it. */
export interface Values {
  enabled: boolean;
  url: string;
  intervalHours: number;
}

export const valuesOf = ({ enabled, url, intervalHours }: Following): Values => ({
  enabled,
  url: url ?? "",
  intervalHours,
});

export const planRead = (providerId?: string) =>
  providerId === undefined
    ? request("get", "/api/admin/auth/saml/metadata-refresh")
    : request("get", "/api/admin/auth/providers/{providerId}/metadata-refresh", { params: { path: { providerId } } });

export function planSave(providerId: string | undefined, { enabled, url, intervalHours }: Values) {
  const body = { enabled, url: url.trim() || undefined, intervalHours };
  return providerId === undefined
    ? request("put", "/api/admin/auth/saml/metadata-refresh", { body })
    : request("put", "/api/admin/auth/providers/{providerId}/metadata-refresh", {
        params: { path: { providerId } },
        body,
      });
}
