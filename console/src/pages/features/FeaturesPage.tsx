import { Button, Group, Title } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Search } from "../../api/address";
import { useEnvironments, useRead, useWhyNot } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { idOf } from "../../parts/bulk/tasks";
import { ProjectTabs } from "../../parts/project/ProjectTabs";
import { useKeys } from "../../parts/keys";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { Bulk } from "./Bulk";
import { Columns, columnsOf, mostColumns } from "./Columns";
import { FeatureTable, type Found } from "./FeatureTable";
import { Chosen, Filters } from "./Filters";
import { NewFeature } from "./NewFeature";
import { isNarrowed, pageSize, searchOf, searchRequest } from "./query";
import classes from "./Features.module.css";
import { number } from "../../words/counts";

/** All features, or those of a project: found, switched, and changed many at once. */
export default function FeaturesPage() {
  const { projectId } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  useTitle(projectId ? `Flags of ${projectId}` : "Feature flags");

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
  const environments = useMemo(() => columnsOf(usable, search.columns), [usable, search.columns]);

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
    x: { does: "Select the row", run: () => here && select([here], !selected.has(idOf(here))) },
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

  return (
    <div className={classes.page}>
      <div className={classes.head}>
        <Title order={1} className="breaks">
          {projectId ? (
            <>
              Flags of <bdi>{projectId}</bdi>
            </>
          ) : (
            "Feature flags"
          )}
        </Title>
        <ActionButton request={create} onClick={() => open("true")}>
          New feature flag
        </ActionButton>
      </div>
      {projectId && <ProjectTabs projectId={projectId} tab="features" />}
      <Filters search={search} projectId={projectId} environments={usable} change={change} inputRef={input} />
      {usable.length > mostColumns && <Columns usable={usable} shown={environments} choose={go} />}
      {selected.size > 0 && (
        <Bulk query={query} total={total} selected={selected} setSelected={setSelected} environments={usable} />
      )}
      {found.error && !found.data ? (
        <Problem error={found.error} again={() => void found.refetch()} />
      ) : !found.data ? (
        <Waiting rows={12} />
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
          inProject={projectId !== undefined}
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
        <div className={classes.foot}>
          <span role="status" className="muted figures">
            {number(Number(query.offset) + 1)}–{number(Number(query.offset) + features.length)} of {number(total)}
          </span>
          <Group gap="sm">
            <Button
              variant="default"
              size="compact-sm"
              disabled={query.offset === "0"}
              onClick={() => go({ offset: String(Math.max(0, Number(query.offset) - pageSize)) })}
            >
              Previous
            </Button>
            <Button
              variant="default"
              size="compact-sm"
              disabled={Number(query.offset) + features.length >= total}
              onClick={() => go({ offset: String(Number(query.offset) + pageSize) })}
            >
              Next
            </Button>
          </Group>
        </div>
      )}
      {search.new !== undefined && <NewFeature projectId={projectId} onClose={() => open(undefined)} />}
    </div>
  );
}
