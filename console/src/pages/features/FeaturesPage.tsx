import { Group, Title } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Search } from "../../api/address";
import { useEnvironments, useRead, useWhyNot } from "../../api/queries";
import { isMissing } from "../../api/refusal";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { idOf } from "../../parts/bulk/tasks";
import { columnsOf, mostColumns, productionLast } from "../../parts/environments";
import { overviewRequest } from "../../parts/project/overview";
import { ProjectHead } from "../../parts/project/ProjectHead";
import { ProjectTabs } from "../../parts/project/ProjectTabs";
import { useKeys } from "../../parts/keys";
import { useTitle } from "../../parts/title";
import { NotFound } from "../not-found/NotFound";
import { Bulk } from "./Bulk";
import { ColumnChoice, EnvironmentColumns, useColumns } from "./Columns";
import { FeatureTable } from "./FeatureTable";
import { Chosen, Filters } from "./Filters";
import { Foot } from "./Foot";
import { isNarrowed, searchOf, searchRequest, type Found } from "./query";
import { Views } from "./Views";
import { arriving } from "../../parts/arriving";
import { Unread } from "../../parts/Unread";
import classes from "./Features.module.css";

const NewFeature = arriving(() => import("./NewFeature"), { waiting: null, isBeside: true });

/** All features, or those of a project: found, switched, and changed many at once. */
export default function FeaturesPage() {
  const { projectId } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const overview = useRead(overviewRequest(projectId ?? ""), { enabled: projectId !== undefined });
  const projectName = overview.isPlaceholderData ? undefined : overview.data?.name;
  useTitle(projectId ? `Flags of ${projectName ?? projectId}` : "Feature flags");

  const query = searchOf(search, projectId);
  const found = useRead(searchRequest(query));
  const features = useMemo(() => found.data?.features ?? [], [found.data]);
  const total = found.data?.total ?? 0;
  const everywhere = useEnvironments();
  const usable = useMemo(
    () =>
      everywhere.filter(({ enabled, name }) =>
        projectId ? features.some((feature) => feature.environments.some((one) => one.name === name)) : enabled,
      ),
    [everywhere, features, projectId],
  );
  const environments = useMemo(() => productionLast(columnsOf(usable, search.columns)), [usable, search.columns]);

  const { shown, keep } = useColumns();
  const columns = useMemo(() => shown.filter((one) => !projectId || one !== "project"), [shown, projectId]);

  const [selected, setSelected] = useState<ReadonlyMap<string, Found>>(new Map());
  const [current, setCurrent] = useState(-1);
  const input = useRef<HTMLInputElement>(null);

  const go = (changed: Search) =>
    void navigate({ to: ".", search: (before: Search) => ({ ...before, ...changed }), replace: true });
  const change = (changed: Search) => {
    setCurrent(-1);
    go({ ...changed, offset: undefined });
  };
  const open = (value: string | undefined) => go({ new: value });
  const create = request("post", "/api/admin/projects/{projectId}/features", {
    params: { path: { projectId: projectId ?? "default" } },
    body: { name: "…" },
  });
  const mayCreate = !useWhyNot()(create);

  const select = useCallback(
    (chosen: readonly Found[], on: boolean) =>
      setSelected((before) => {
        const next = new Map(before);
        for (const feature of chosen) {
          if (on) next.set(idOf(feature), feature);
          else next.delete(idOf(feature));
        }
        return next;
      }),
    [],
  );

  const move = (by: number) => setCurrent((at) => Math.max(0, Math.min(features.length - 1, at + by)));
  const here = features[current];
  useKeys({
    "/": { does: "Search", run: () => input.current?.focus() },
    j: { does: "Next row", run: () => move(1) },
    k: { does: "Previous row", run: () => move(-1) },
    x: { does: "Select the row", run: () => here && !here.archived && select([here], !selected.has(idOf(here))) },
    Enter: {
      does: "Open the row",
      run: () =>
        here &&
        void navigate({
          to: "/projects/$projectId/features/$featureName",
          params: { projectId: here.project, featureName: here.name },
        }),
    },
    n: { does: "New feature flag", run: () => mayCreate && open("true") },
  });

  if (projectId && isMissing(overview.error)) return <NotFound />;
  return (
    <div className={classes.page}>
      <div className={classes.head}>
        {projectId ? (
          <ProjectHead projectId={projectId} name={projectName} of="Flags of" />
        ) : (
          <Title order={1}>Feature flags</Title>
        )}
        <Group gap="sm">
          <Views search={search} projectId={projectId} />
          <ColumnChoice isOfProject={projectId !== undefined} shown={shown} keep={keep} />
          <ActionButton request={create} onClick={() => open("true")}>
            New feature flag
          </ActionButton>
        </Group>
      </div>
      {projectId && <ProjectTabs projectId={projectId} tab="features" />}
      <Filters search={search} projectId={projectId} environments={usable} change={change} inputRef={input} />
      {usable.length > mostColumns && <EnvironmentColumns usable={usable} shown={environments} choose={go} />}
      {selected.size > 0 && (
        <Bulk query={query} total={total} selected={selected} setSelected={setSelected} environments={usable} />
      )}
      {!found.data ? (
        <Unread read={found} rows={12} />
      ) : features.length === 0 ? (
        <div className={`card ${classes.empty}`}>
          {isNarrowed(search) ? (
            <>
              <p>Nothing fits all of these:</p>
              <Chosen search={search} change={change} />
            </>
          ) : (
            <>
              <p>There is no flag yet. A flag is a switch in your application that you turn from here.</p>
              <ActionButton request={create} onClick={() => open("true")}>
                Create the first one
              </ActionButton>
            </>
          )}
        </div>
      ) : (
        <FeatureTable
          features={features}
          environments={environments}
          columns={columns}
          sortBy={query.sortBy}
          sortOrder={query.sortOrder}
          sort={(by) =>
            change({ sortBy: by, sortOrder: query.sortBy === by && query.sortOrder === "asc" ? "desc" : "asc" })
          }
          selected={selected}
          select={select}
          current={current}
          dimmed={found.isPlaceholderData}
        />
      )}
      {found.data && total > 0 && (
        <Foot query={query} count={features.length} total={total} environments={usable} go={go} />
      )}
      {search.new !== undefined && <NewFeature projectId={projectId} onClose={() => open(undefined)} />}
    </div>
  );
}
