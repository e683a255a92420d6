import { Group, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useRead, useWhyNot } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { Problem } from "../../../parts/Problem";
import type { Shown } from "../shown";
import { conditionInWords, stateOf } from "./conditions";
import { DependencyFields, lacking, noDependency, parentsOf } from "./DependencyFields";
import classes from "../Feature.module.css";

const to = "/api/admin/projects/{projectId}/features/{featureName}/dependencies";

/** The features that this one needs, on or off or with a variant: otherwise it is off. */
export function Dependencies({ feature }: Shown) {
  const path = { projectId: feature.project, featureName: feature.name };
  const options = useRead(parentsOf(feature));
  const { act, busy, error } = useAct({ inline: true });
  const [wanted, setWanted] = useState(noDependency);
  const { parent } = wanted;
  const state = stateOf(wanted.condition, wanted.variants);
  const add = (name: string) => request("post", to, { params: { path }, body: { feature: name, ...state } });
  const remove = (name: string) => request("delete", `${to}/{parent}`, { params: { path: { ...path, parent: name } } });
  const whyNot = useWhyNot()(add(""));
  const taken = new Set(feature.dependencies.map((dependency) => dependency.feature));
  const free = (options.data ?? []).filter((name) => !taken.has(name));

  async function depend() {
    if (!parent) return;
    const done = await act({
      request: add(parent),
      done: `${feature.name} depends on ${parent} ${conditionInWords(state)}.`,
      undo: remove(parent),
      onDrafted: () => setWanted(noDependency),
    });
    if (done) setWanted(noDependency);
  }

  return (
    <section className={`card ${classes.narrow}`} aria-label="Dependencies">
      <Stack gap="md">
        <Title order={2}>Depends on</Title>
        {feature.dependencies.length === 0 && <span className="muted">Nothing.</span>}
        {feature.dependencies.map(({ feature: name, enabled, variants }) => (
          <Group key={name} justify="space-between" gap="sm">
            <span className="breaks">
              <bdi>{name}</bdi>
              {` ${conditionInWords({ enabled, variants })}`}
            </span>
            <ActionButton
              variant="default"
              size="compact-sm"
              request={remove(name)}
              loading={busy}
              onClick={() =>
                void act({
                  request: remove(name),
                  done: `${feature.name} no longer depends on ${name}.`,
                  undo: request("post", to, { params: { path }, body: { feature: name, enabled, variants } }),
                })
              }
            >
              Remove
            </ActionButton>
          </Group>
        ))}
        {feature.children.length > 0 && (
          <span className="muted breaks">Flags that depend on this one: {feature.children.join(", ")}</span>
        )}
        {!whyNot && free.length > 0 && (
          <Group gap="sm" align="end">
            <DependencyFields feature={feature} taken={taken} value={wanted} change={setWanted} />
            <ActionButton
              variant="default"
              isFinal
              request={add(parent ?? "")}
              because={lacking(wanted)}
              loading={busy}
              onClick={() => void depend()}
            >
              Depend on it
            </ActionButton>
          </Group>
        )}
        {whyNot && <span className="muted">{whyNot}</span>}
        <Problem error={error ?? options.error} />
      </Stack>
    </section>
  );
}
