import { Group, MultiSelect, Select, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useRead, useWhyNot } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { Problem } from "../../../parts/Problem";
import type { Shown } from "../FeaturePage";
import { conditionInWords, conditions, stateOf, type Condition } from "./conditions";
import classes from "../Feature.module.css";

const to = "/api/admin/projects/{projectId}/features/{featureName}/dependencies";

/** The features that this one needs, on or off or with a variant: otherwise it is off. */
export function Dependencies({ feature }: Shown) {
  const path = { projectId: feature.project, featureName: feature.name };
  const options = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}/parents", { params: { path } }),
  );
  const { act, busy, error } = useAct({ inline: true });
  const [parent, setParent] = useState<string | null>(null);
  const [condition, setCondition] = useState<Condition>("on");
  const [chosen, setChosen] = useState<string[]>([]);
  const variants = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}/parent-variants", {
      params: { path: { ...path, featureName: parent ?? "" } },
    }),
    { enabled: parent !== null && condition === "variant" },
  );
  const known = (parent !== null && !variants.isPlaceholderData && variants.data) || [];
  const state = stateOf(condition, chosen);
  const add = (name: string) => request("post", to, { params: { path }, body: { feature: name, ...state } });
  const remove = (name: string) => request("delete", `${to}/{parent}`, { params: { path: { ...path, parent: name } } });
  const whyNot = useWhyNot()(add(""));
  const taken = new Set(feature.dependencies.map((dependency) => dependency.feature));
  const free = (options.data ?? []).filter((name) => !taken.has(name));

  function choose(name: string | null) {
    setParent(name);
    setChosen([]);
  }

  async function depend() {
    if (!parent) return;
    const done = await act({
      request: add(parent),
      done: `${feature.name} depends on ${parent} ${conditionInWords(state)}.`,
      undo: remove(parent),
      onDrafted: () => choose(null),
    });
    if (done) choose(null);
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
            <Select
              label="Parent"
              placeholder="a flag of the project"
              searchable
              clearable
              clearButtonProps={{ "aria-label": "None" }}
              limit={50}
              w={240}
              data={free}
              value={parent}
              onChange={choose}
            />
            <Select
              label="Only where it"
              allowDeselect={false}
              w={240}
              data={conditions}
              value={condition}
              onChange={(value) => value && setCondition(value)}
            />
            {condition === "variant" && (
              <MultiSelect
                label="Variants"
                searchable
                w={240}
                disabled={known.length === 0}
                description={parent && variants.data && known.length === 0 ? `${parent} has no variants.` : undefined}
                data={known}
                value={chosen}
                onChange={setChosen}
              />
            )}
            <ActionButton
              variant="default"
              isFinal
              request={add(parent ?? "")}
              because={
                !parent
                  ? "Choose a parent."
                  : condition === "variant" && chosen.length === 0
                    ? "Choose a variant."
                    : undefined
              }
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
