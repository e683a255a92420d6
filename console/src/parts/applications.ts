import { useRead } from "../api/queries";
import { request } from "../api/request";

const applications = request("get", "/api/admin/metrics/applications");

/** Names of known applications by name, at most a thousand; none where they are not wanted. */
export function useApplicationNames(isWanted: boolean): readonly string[] {
  const read = useRead(applications, { enabled: isWanted, staleTime: 60_000 });
  return isWanted ? (read.data?.applications ?? []).map(({ appName }) => appName) : [];
}
