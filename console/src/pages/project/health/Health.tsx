import { Button, Group } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { first } from "../../../api/address";
import { serverTime } from "../../../api/clock";
import { useFeatureTypes, useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { BulkPreview } from "../../../parts/bulk/BulkPreview";
import { planned } from "../../../parts/bulk/bulk";
import type { Selected } from "../../../parts/bulk/tasks";
import { Ring } from "../../../parts/charts/Ring";
import { Scatter } from "../../../parts/charts/Scatter";
import { isProduction } from "../../../parts/EnvironmentName";
import { Moment } from "../../../parts/Moment";
import { Rows } from "../../../parts/Rows";
import { Unread } from "../../../parts/Unread";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";
import { Actions } from "./Actions";
import { archivable, debtOf, finding, ruleNames, rules, type Owed, type Reason } from "./debt";
import { counted, number } from "../../../words/counts";

const day = 86_400_000;

/** What should go, why, and the one click that removes it. */
export default function Health({ projectId }: OfProject) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const types = useFeatureTypes();
  const read = useRead(
    request("get", "/api/admin/projects/{projectId}/health-report", { params: { path: { projectId } } }),
  );
  const [bulk, setBulk] = useState<Owed[]>();
  const features = useMemo(() => read.data?.features ?? [], [read.data]);
  const now = useMemo(() => new Date(serverTime(read.dataUpdatedAt)), [read.dataUpdatedAt]);
  const owed = useMemo(() => debtOf(features, types, now), [features, types, now]);
  const chosen = first(search.reason) as Reason["kind"] | undefined;
  const shown = chosen ? owed.filter(({ reason }) => reason.kind === chosen) : owed;

  if (!read.data || !types.length) return <Unread read={read} />;
  const { health, staleCount, potentiallyStaleCount } = read.data;
  const fine = features.length - staleCount - potentiallyStaleCount;
  const marked = new Set(owed.map(({ feature }) => feature.name));
  const kinds = Object.keys(rules) as Reason["kind"][];
  const removable = archivable(shown);
  const archiving = planned({ kind: "archive" }, removable.map(named(projectId)), false)[0];

  return (
    <>
      <div className={classes.look}>
        <section className={`card ${classes.health}`} aria-label="Health">
          <Ring share={health} label="Health" />
          <p>
            {counted(fine, "flag")} {fine === 1 ? "is" : "are"} fine, {number(staleCount)} marked as stale,{" "}
            {number(potentiallyStaleCount)} older than {potentiallyStaleCount === 1 ? "its" : "their"} type should be.
            Health is the share of those that are fine.
          </p>
        </section>
        <Scatter
          finding={finding(owed, features.length)}
          unit="Each mark is a flag: the further to the right the older, the higher the longer unasked. Crosses should go."
          of="Flag"
          series={["days old", "days unasked"]}
          marked={(index) => marked.has(features[index]!.name)}
          file={`${projectId}-health`}
          empty="No flag is a day old yet: once one is, its age and how long it was not evaluated are here."
          points={features.map(({ name, createdAt, lastSeenAt }) => {
            const days = (at: string | null | undefined) =>
              at ? Math.floor((now.getTime() - Date.parse(at)) / day) : 0;
            return { label: name, values: [days(createdAt), days(lastSeenAt ?? createdAt)] };
          })}
        />
      </div>
      {owed.length > 0 && (
        <Group gap="sm" role="group" aria-label="Reasons">
          <ReasonButton name="All reasons" count={owed.length} on={!chosen} choose={() => go(undefined)} />
          {kinds.map((kind) => {
            const count = owed.filter(({ reason }) => reason.kind === kind).length;
            return (
              count > 0 && (
                <ReasonButton
                  key={kind}
                  name={ruleNames[kind]}
                  count={count}
                  on={chosen === kind}
                  choose={() => go(kind)}
                />
              )
            );
          })}
        </Group>
      )}
      {shown.length === 0 ? (
        <div className="card">
          {features.length === 0
            ? "There is no flag yet."
            : chosen
              ? "No flag has this reason (any more)."
              : "Nothing should go. Each flag is in use, younger than its type should become, or meant to stay."}
        </div>
      ) : (
        <div className={classes.list}>
          {archiving && removable.length > 1 && (
            <div>
              <ActionButton variant="default" request={archiving} onClick={() => setBulk(removable)}>
                Archive {removable.length === shown.length && !chosen ? "all" : "these"} {removable.length} …
              </ActionButton>
            </div>
          )}
          <Rows
            label="Flags that should go"
            asCards
            count={shown.length}
            columns={4}
            keyOf={(index) => shown[index]!.feature.name}
            head={
              <>
                <th>Flag</th>
                <th>Why</th>
                <th className={classes.wide}>Created</th>
                <th>Actions</th>
              </>
            }
            row={(index) => <Row projectId={projectId} owed={shown[index]!} />}
          />
        </div>
      )}
      {bulk && (
        <BulkPreview
          task={{ kind: "archive" }}
          features={bulk.map(named(projectId))}
          onClose={() => setBulk(undefined)}
        />
      )}
    </>
  );

  function go(reason: string | undefined) {
    void navigate({ to: ".", search: { reason }, replace: true });
  }
}

const isLive = ({ environments = [] }: Owed["feature"]) =>
  environments.some(({ enabled, type }) => enabled && isProduction(type));

const named =
  (projectId: string) =>
  ({ feature: { name, environments, dependencies } }: Owed): Selected => ({
    project: projectId,
    name,
    environments,
    dependencyType: dependencies?.length ? "child" : null,
  });

interface ReasonButtonProps {
  name: string;
  count: number;
  on: boolean;
  choose: () => void;
}

function ReasonButton({ name, count, on, choose }: ReasonButtonProps) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-pressed={on}
      className={on ? "chosen" : undefined}
      onClick={choose}
    >
      {name} {count}
    </Button>
  );
}

function Row({ projectId, owed: { feature, reason } }: { projectId: string; owed: Owed }) {
  return (
    <>
      <td className={classes.name}>
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId, featureName: feature.name }}
          className="breaks"
        >
          <bdi>{feature.name}</bdi>
        </Link>
        {isLive(feature) && <span className="chip production-name">▲ on in production</span>}
      </td>
      <td title={rules[reason.kind]} data-label="Why">
        {reason.words}
      </td>
      <td className={classes.wide} data-label="Created">
        <Moment at={feature.createdAt} />
      </td>
      <td>
        <Actions projectId={projectId} feature={feature} reason={reason} />
      </td>
    </>
  );
}
