import { Radio, Stack } from "@mantine/core";
import { request, type Schemas } from "../../../api/request";
import { NameAndDescription } from "../../../parts/forms/NameAndDescription";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { Matrix } from "./Matrix";
import { grantable, parseGrant } from "./matrix";
import { useRead } from "../../../api/queries";

export type Draft = { name: string; description: string; type: Schemas["CustomRoleType"]; grants: string[] };

export const bodyOf = ({ name, description, type, grants }: Draft) => ({
  name: name.trim(),
  description,
  type,
  permissions: grants.map(parseGrant),
});

export const planRole = (draft: Draft) => request("post", "/api/admin/roles", { body: bodyOf(draft) });

/** Makes a role, of permissions that may count in single environments only. */
export function NewRole({ onClose }: { onClose: () => void }) {
  const known = useRead(request("get", "/api/admin/permissions"), { staleTime: 60_000 }).data?.permissions;
  const fitting = (grants: string[], type: Draft["type"]) => {
    const names = new Set(known && grantable(known, type === "custom").map(({ name }) => name as string));
    return grants.filter((one) => {
      const { name, environment } = parseGrant(one);
      return names.has(name) && (type === "custom" || environment === undefined);
    });
  };
  return (
    <NewDrawer<Draft, unknown>
      title="New role"
      size="xl"
      initial={{ name: "", description: "", type: "custom", grants: [] }}
      plan={planRole}
      action={({ name }) => `Create ${name.trim() || "it"}`}
      done={({ name }) => `The role ${name.trim()} was created.`}
      objection={({ name }) => (name.trim() ? undefined : "A name is missing.")}
      onClose={onClose}
    >
      {(draft, change) => (
        <>
          <NameAndDescription draft={draft} change={change} />
          <Radio.Group
            label="Where it counts"
            value={draft.type}
            onChange={(value) => {
              const type = value;
              change({ type, grants: fitting(draft.grants, type) });
            }}
          >
            <Stack gap={6} mt={4}>
              <Radio value="custom" label="In projects, where people are given it one by one" />
              <Radio value="root-custom" label="In the whole instance" />
            </Stack>
          </Radio.Group>
          <Matrix
            grants={draft.grants}
            inProjects={draft.type === "custom"}
            onChange={(grants) => change({ grants })}
          />
        </>
      )}
    </NewDrawer>
  );
}
