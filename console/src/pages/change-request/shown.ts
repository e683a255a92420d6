import type { ChangeRequest } from "../../parts/change-requests/requests";

/** The change request that a page shows, and each part of it. */
export interface Shown {
  request: ChangeRequest;
  /** Of its contents and its state: whoever changes either makes a new one. */
  version: string | undefined;
}
