import { Group, SegmentedControl } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { serverTime } from "../../../api/clock";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { Stacked } from "../../../parts/charts/Stacked";
import { environmentOption } from "../../../parts/EnvironmentName";
import { Problem } from "../../../parts/Problem";
import { Waiting } from "../../../parts/Waiting";
import type { Shown } from "../FeaturePage";
import { finding, splits, usageOf, type Split } from "./hours";

/** Who asked for a feature, and what they were told. */
export default function Usage({ feature }: Shown) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const hoursBack = first(search.hoursBack) === "24" ? 24 : 48;
  const split: Split = splits.find(({ value }) => value === first(search.split))?.value ?? "result";
  const params = { path: { featureName: feature.name } };
  const raw = useRead(
    request("get", "/api/admin/client-metrics/features/{featureName}/raw", {
      params: { ...params, query: { hoursBack: String(hoursBack) } },
    }),
  );
  const summary = useRead(request("get", "/api/admin/client-metrics/features/{featureName}", { params }));
  const environment =
    feature.environments.find(({ name }) => name === first(search.env)) ?? feature.environments.at(-1);
  if (!environment) return <div className="card">This project has no environment yet.</div>;
  if (raw.error && !raw.data) return <Problem error={raw.error} again={() => void raw.refetch()} />;
  if (!raw.data) return <Waiting />;
  const metrics = raw.data.data;
  const by = (wanted: Split) =>
    usageOf(metrics, environment.name, hoursBack, new Date(serverTime(raw.dataUpdatedAt)), wanted);
  const { series, points } = by(split);
  const go = (changed: Record<string, string>) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
    });

  return (
    <>
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="Environment"
          data={feature.environments.map(environmentOption)}
          value={environment.name}
          onChange={(env) => go({ env })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Time"
          data={[
            { value: "24", label: "24 hours" },
            { value: "48", label: "48 hours" },
          ]}
          value={String(hoursBack)}
          onChange={(hours) => go({ hoursBack: hours })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Split"
          data={[...splits]}
          value={split}
          onChange={(value) => go({ split: value })}
        />
      </Group>
      <Stacked
        finding={finding(by("result"))}
        unit={`Evaluations in ${environment.name} per hour, ${splits.find(({ value }) => value === split)?.label.toLowerCase()}`}
        of="Hour"
        series={series}
        points={points}
        file={`usage-of-${feature.name}`}
      />
      <p className="muted breaks">
        Applications that asked:{" "}
        {summary.data?.seenApplications.length ? summary.data.seenApplications.join(", ") : "none"}
      </p>
    </>
  );
}
