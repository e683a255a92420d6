import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { send } from "../../api/client";
import { lastChange } from "../../api/recorder";
import { request } from "../../api/request";
import { mark, type Event } from "./recent";
import { touches } from "./touches";
import { watch } from "./watch";

/** So many changes at once are read one by one; with more, everything is read anew. */
const most = 50;
const tooLong = 4_500;
/** How long after a change of this tab its event may come. */
const echo = 15_000;

const latest = async (limit: number): Promise<Event[]> => {
  const planned = request("get", "/api/admin/search/events", { params: { query: { limit: String(limit) } } });
  return (await send(planned, AbortSignal.timeout(tooLong), { inBackground: true })).data.events;
};

/** What others mark as a favourite is theirs. */
const isPersonal = ({ type }: Event) => /favorited$/.test(type);

/** Keeps what is shown as it is on the server: whatever events touch is read anew, and marked when others did it. */
export function useLive(userId: number | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (userId === undefined) return;
    let known: number | undefined;
    return watch(async () => {
      const [newest] = await latest(1);
      const before = known;
      known = Math.max(newest?.id ?? 0, before ?? 0);
      if (before === undefined || known === before) return;
      const found = (await latest(most)).filter(({ id }) => id > before);
      known = Math.max(known, ...found.map(({ id }) => id));
      const events = found.filter((event) => !isPersonal(event));
      mark(
        events.filter(({ createdByUserId }) => createdByUserId !== userId || performance.now() - lastChange() > echo),
      );
      refresh(client, events, found.length === most);
    });
  }, [client, userId]);
}

function refresh(client: QueryClient, events: readonly Event[], isIncomplete: boolean) {
  void client.invalidateQueries({
    predicate: ({ queryKey: [operation, address] }) =>
      typeof operation === "string" &&
      typeof address === "string" &&
      address.startsWith("/") &&
      (isIncomplete || events.some((event) => touches(event, operation, address))),
  });
}
