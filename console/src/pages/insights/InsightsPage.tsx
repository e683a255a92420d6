import { Button, Group, TextInput, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../api/address";
import { serverTime } from "../../api/clock";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { lastDays } from "../../parts/events/days";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { Pictures } from "./Pictures";
import classes from "./Insights.module.css";

/** How the instance changes over time. */
export default function InsightsPage() {
  useTitle("Insights");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [from, to] = [first(search.from), first(search.to)];
  const read = useRead(request("get", "/api/admin/insights", { params: { query: { from, to } } }), {
    staleTime: 60_000,
  });
  const go = (days: { from?: string; to?: string }) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...days }),
      replace: true,
    });
  return (
    <div className={classes.page}>
      <Title order={1}>Insights</Title>
      <Group gap="sm" role="search" aria-label="Days">
        {[30, 90, 365].map((days) => {
          const begin = lastDays(days, new Date(serverTime()))[0];
          const isChosen = from === begin && !to;
          return (
            <Button
              key={days}
              variant="default"
              size="compact-sm"
              aria-pressed={isChosen}
              className={isChosen ? "chosen" : undefined}
              onClick={() => go({ from: begin, to: undefined })}
            >
              Last {days} days
            </Button>
          );
        })}
        <TextInput
          type="date"
          size="xs"
          aria-label="From this day, in UTC"
          value={from ?? ""}
          max={to}
          onChange={(event) => go({ from: event.currentTarget.value || undefined })}
        />
        <TextInput
          type="date"
          size="xs"
          aria-label="To this day, in UTC"
          value={to ?? ""}
          min={from}
          onChange={(event) => go({ to: event.currentTarget.value || undefined })}
        />
        <span className="muted">UTC days; those of today are taken every hour, and people as they are now</span>
      </Group>
      {read.error && !read.data ? (
        <Problem error={read.error} again={() => void read.refetch()} />
      ) : !read.data ? (
        <Waiting rows={12} />
      ) : (
        <Pictures insights={read.data} from={from} to={to} />
      )}
    </div>
  );
}
