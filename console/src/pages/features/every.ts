import { send } from "../../api/client";
import { searchRequest, type Found, type searchOf } from "./query";

const most = 1000;

/** All features that a search finds, on whatever page they are. */
export async function everyFound(query: ReturnType<typeof searchOf>): Promise<Found[]> {
  const found: Found[] = [];
  for (;;) {
    const { data } = await send(searchRequest({ ...query, offset: String(found.length), limit: String(most) }));
    found.push(...data.features);
    if (data.features.length < most) return found;
  }
}
