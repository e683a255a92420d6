import { Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { request, type Schemas } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { nameOf } from "../../../parts/people";
import { AccountTokens } from "./AccountTokens";
import { RoleField } from "../RoleField";
import classes from "../../../parts/area/Area.module.css";
import { AtField } from "../../../parts/forms/AtField";

interface Props {
  account: Schemas["ServiceAccount"];
  roles: readonly Schemas["Role"][];
  onClose: () => void;
}

/** One service account: name and role, its tokens, and the way out. */
export function ServiceAccountDrawer({ account, roles, onClose }: Props) {
  const path = { id: account.id };
  const stored = { name: account.name ?? "", rootRole: String(account.rootRole) };
  const [draft, setDraft] = useState(stored);
  const { act, busy, error } = useAct({ inline: true });
  const plan = ({ name, rootRole }: typeof stored) =>
    request("put", "/api/admin/service-account/{id}", {
      params: { path },
      body: { name: name.trim() || undefined, rootRole: Number(rootRole) },
    });
  const isSame = draft.name.trim() === stored.name && draft.rootRole === stored.rootRole;

  return (
    <FormDrawer title="Service account" size="lg" onClose={onClose}>
      <Form
        request={plan(draft)}
        action="Save"
        busy={busy}
        error={error}
        because={isSame ? "Nothing is changed yet." : undefined}
        onSubmit={() => void act({ request: plan(draft), done: "The service account is saved.", undo: plan(stored) })}
      >
        <AtField of="name">
          <TextInput
            label="Name"
            description={`As people read it. The history calls it ${account.username ?? account.id}.`}
            maxLength={255}
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
        </AtField>
        <RoleField roles={roles} value={draft.rootRole} onChange={(rootRole) => setDraft({ ...draft, rootRole })} />
      </Form>
      <Stack gap="md" mt="md">
        <AccountTokens account={account} />
        <section className={classes.section} aria-label="Delete">
          <Title order={3}>Delete</Title>
          <Text size="sm" my="sm">
            What it did stays in the event log.
          </Text>
          <RemoveButton
            what="service account"
            name={nameOf(account)}
            request={request("delete", "/api/admin/service-account/{id}", { params: { path } })}
            consequence={
              <>
                What comes as <bdi>{nameOf(account)}</bdi> is turned away from the next request on; its roles and
                memberships go. The user name is free for others.
              </>
            }
            onRemoved={onClose}
          />
        </section>
      </Stack>
    </FormDrawer>
  );
}
