import { request } from "../api/request";

/** The login providers in addition to those of the two settings, for administrators. */
export const readProviders = request("get", "/api/admin/auth/providers");
