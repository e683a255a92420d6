import { MultiSelect, Select } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { conditions, type Condition } from "./conditions";

/** A dependency as it is typed. */
export type Wanted = {
  parent: string | null;
  condition: Condition;
  variants: string[];
};

export const noDependency: Wanted = { parent: null, condition: "on", variants: [] };

/** What it lacks. */
export const lacking = ({ parent, condition, variants }: Wanted): string | undefined =>
  !parent ? "Choose a parent." : condition === "variant" && variants.length === 0 ? "Choose a variant." : undefined;

interface Named {
  project: string;
  name: string;
}

/** The features that another one can depend on. */
export const parentsOf = ({ project, name }: Named) =>
  request("get", "/api/admin/projects/{projectId}/features/{featureName}/parents", {
    params: { path: { projectId: project, featureName: name } },
  });

interface Props {
  feature: Named;
  /** Parents that it has already. */
  taken: ReadonlySet<string>;
  value: Wanted;
  change: (value: Wanted) => void;
}

/** Which feature another one needs, and what of it. */
export function DependencyFields({ feature, taken, value, change }: Props) {
  const { parent, condition, variants: chosen } = value;
  const free = (useRead(parentsOf(feature)).data ?? []).filter((name) => !taken.has(name));
  const variants = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}/parent-variants", {
      params: { path: { projectId: feature.project, featureName: parent ?? "" } },
    }),
    { enabled: parent !== null && condition === "variant" },
  );
  const known = (parent !== null && !variants.isPlaceholderData && variants.data) || [];
  return (
    <>
      <Select
        label="Parent"
        placeholder="a flag of the project"
        searchable
        clearable
        clearButtonProps={{ "aria-label": "None" }}
        limit={50}
        w={240}
        data={[...new Set([...(parent === null ? [] : [parent]), ...free])]}
        value={parent}
        onChange={(name) => change({ ...value, parent: name, variants: [] })}
      />
      <Select
        label="Only where it"
        allowDeselect={false}
        w={240}
        data={conditions}
        value={condition}
        onChange={(wanted) => wanted && change({ ...value, condition: wanted })}
      />
      {condition === "variant" && (
        <MultiSelect
          label="Variants"
          searchable
          w={240}
          disabled={known.length === 0}
          description={parent && variants.data && known.length === 0 ? `${parent} has no variants.` : undefined}
          data={[...new Set([...chosen, ...known])]}
          value={chosen}
          onChange={(names) => change({ ...value, variants: names })}
        />
      )}
    </>
  );
}
