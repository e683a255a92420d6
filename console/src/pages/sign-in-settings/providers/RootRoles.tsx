import { Button, Fieldset, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { AtField } from "../../../parts/forms/AtField";
import { useFocusOnceNew } from "../../../parts/forms/useFocusOnceNew";
import type { RootRole } from "./draft";
import { longestClaim, longestClaimValue, mostRootRoles } from "./settings";

interface Props {
  given: readonly RootRole[];
  roles: readonly { id: number; name: string }[];
  onChange: (given: RootRole[]) => void;
}

/** Roles of users who are created, by what the provider says of them: the first that matches. */
export function RootRoles({ given, roles, onChange }: Props) {
  const [added, setAdded] = useState<number>();
  return (
    <Stack gap="sm">
      <div>
        <Text size="sm" fw={500}>
          Roles by claim
        </Text>
        <Text size="xs" className="muted">
          The first that matches decides about a user who is created; no role of a user who exists is changed by it.
        </Text>
      </div>
      {given.map((one, at) => (
        <RootRoleRow
          key={at}
          at={at}
          one={one}
          roles={roles}
          isNew={at === added}
          onChange={(changed) =>
            onChange(given.map((other, index) => (index === at ? { ...other, ...changed } : other)))
          }
          onRemove={() => onChange(given.filter((_, index) => index !== at))}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          disabled={given.length >= mostRootRoles}
          onClick={() => {
            setAdded(given.length);
            onChange([...given, { claim: "", value: "", roleId: "" }]);
          }}
        >
          Add a role by claim
        </Button>
      </div>
    </Stack>
  );
}

interface RowProps {
  at: number;
  one: RootRole;
  roles: Props["roles"];
  isNew: boolean;
  onChange: (changed: Partial<RootRole>) => void;
  onRemove: () => void;
}

function RootRoleRow({ at, one, roles, isNew, onChange, onRemove }: RowProps) {
  const first = useFocusOnceNew<HTMLInputElement>(isNew);
  const place = `rules/rootRoles/${at}`;
  return (
    <Fieldset legend={`Role by claim ${at + 1}`}>
      <Stack gap="sm">
        <AtField of={`${place}/claim`}>
          <TextInput
            ref={first}
            label="Claim"
            description="Name of the property, or a path such as realm.groups: a text, or a list of texts."
            required
            maxLength={longestClaim}
            spellCheck={false}
            value={one.claim}
            onChange={(event) => onChange({ claim: event.currentTarget.value })}
          />
        </AtField>
        <AtField of={`${place}/value`}>
          <TextInput
            label="Value"
            description="Exactly what it is, or what its list contains."
            maxLength={longestClaimValue}
            spellCheck={false}
            value={one.value}
            onChange={(event) => onChange({ value: event.currentTarget.value })}
          />
        </AtField>
        <AtField of={`${place}/roleId`}>
          <Select
            label="Role"
            required
            allowDeselect={false}
            data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={one.roleId || null}
            onChange={(roleId) => onChange({ roleId: roleId ?? "" })}
          />
        </AtField>
        <Group justify="flex-end">
          <Button variant="default" size="compact-sm" onClick={onRemove}>
            Remove<span className="visually-hidden"> role by claim {at + 1}</span>
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
