import { Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { request, type Schemas } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { AtField } from "../../../parts/forms/AtField";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { nameOf } from "../../../parts/people";

type Provider = Schemas["SignInProvider"];

interface Draft {
  providerId: string;
  subject: string;
  issuer: string;
}

const longestSubject = 1000;
const longestIssuer = 2000;

/** What a provider calls that by which it knows somebody. */
const subjects: Partial<Record<Provider["kind"], string>> = {
  github: "The numeric id of the account.",
  saml: "The name id.",
};

export const planLinkOf = (id: number, { providerId, subject, issuer }: Draft) =>
  request("post", "/api/admin/user-admin/{id}/identities", {
    params: { path: { id } },
    body: { providerId, subject: subject.trim(), issuer: issuer.trim() || undefined },
  });

interface Props {
  user: Schemas["User"];
  providers: readonly Provider[];
  onClose: () => void;
}

/** Links an identity that an administrator knows by its subject. */
export function LinkIdentity({ user, providers, onClose }: Props) {
  const [draft, setDraft] = useState<Draft>({ providerId: providers[0]?.id ?? "", subject: "", issuer: "" });
  const { act, busy, error } = useAct({ inline: true });
  const planned = planLinkOf(user.id, draft);
  const provider = providers.find(({ id }) => id === draft.providerId);
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));

  async function link() {
    if (await act({ request: planned, done: `The identity is linked to ${nameOf(user)}.` })) onClose();
  }

  return (
    <FormDrawer title="Link an identity" onClose={onClose}>
      <Form
        request={planned}
        action="Link it"
        busy={busy}
        error={error}
        because={
          draft.providerId === ""
            ? "The login provider is missing."
            : draft.subject.trim()
              ? undefined
              : "The subject is missing."
        }
        isChanged={draft.subject !== "" || draft.issuer !== ""}
        onSubmit={() => void link()}
        onCancel={onClose}
      >
        <Text size="sm">
          Whoever signs in with this identity is <bdi>{nameOf(user)}</bdi> from then on, without a password. Be sure
          that it is theirs.
        </Text>
        <AtField of="providerId">
          <Select
            label="Login provider"
            allowDeselect={false}
            data={providers.map(({ id, label }) => ({ value: id, label: `${label} (${id})` }))}
            value={draft.providerId || null}
            onChange={(providerId) => change({ providerId: providerId ?? "" })}
          />
        </AtField>
        <AtField of="subject">
          <TextInput
            label="Subject"
            description={subjects[provider?.kind ?? "oidc"] ?? "The claim sub, as the provider sends it."}
            required
            maxLength={longestSubject}
            spellCheck={false}
            autoCapitalize="none"
            classNames={{ input: "mono" }}
            value={draft.subject}
            onChange={(event) => change({ subject: event.currentTarget.value })}
          />
        </AtField>
        <AtField of="issuer">
          <TextInput
            label="Issuer"
            description="Empty: that of the provider's settings. Needed where its identities are of another one."
            maxLength={longestIssuer}
            spellCheck={false}
            autoCapitalize="none"
            classNames={{ input: "mono" }}
            value={draft.issuer}
            onChange={(event) => change({ issuer: event.currentTarget.value })}
          />
        </AtField>
      </Form>
    </FormDrawer>
  );
}
