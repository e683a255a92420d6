import { send } from "../../api/client";
import { request, type Schemas } from "../../api/request";
import { saveAsCsv } from "../csv";
import { actorOf } from "./actor";
import { sentence } from "./sentence";

const atOnce = 1000;
/** Enough for an audit; more is for a script. */
export const mostEvents = 20_000;

/** Hands the reader all events that fit, newest first, as a file for a spreadsheet. */
export async function exportEvents(filter: Record<string, string | undefined>) {
  const found: Schemas["Event"][] = [];
  for (let total = Infinity; found.length < Math.min(total, mostEvents);) {
    const query = { ...filter, offset: String(found.length), limit: String(atOnce) };
    const { data } = await send(request("get", "/api/admin/search/events", { params: { query } }));
    if (data.events.length === 0) break;
    total = data.total;
    found.push(...data.events);
  }
  saveAsCsv("history", [columns, ...found.map(rowOf)]);
}

const columns = ["when (UTC)", "who", "what", "type", "project", "feature", "environment", "reason", "event"];

export const rowOf = (event: Schemas["Event"]) => [
  event.createdAt,
  actorOf(event),
  sentence(event)
    .map(({ text }) => text)
    .join(""),
  event.type,
  event.project ?? "",
  event.featureName ?? "",
  event.environment ?? "",
  event.reason ?? "",
  event.id,
];
