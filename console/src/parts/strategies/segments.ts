import { send } from "../../api/client";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";

const all = request("get", "/api/admin/segments");
const byId = (segments: readonly Schemas["Segment"][]) => new Map(segments.map(({ id, name }) => [id, name]));

/** What segments are called, by their ids. */
export const useSegmentNames = () => byId(useRead(all, { staleTime: 60_000 }).data?.segments ?? []);

/** The same as it is now, where one of these strategies applies any. */
export async function segmentNames(strategies: readonly { segments?: number[] }[]): Promise<Map<number, string>> {
  return strategies.some(({ segments }) => segments?.length) ? byId((await send(all)).data.segments) : new Map();
}
