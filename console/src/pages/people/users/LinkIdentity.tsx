import { Select, Text, TextInput } from "@mantine/core";
import { request, type Schemas } from "../../../api/request";
import { AtField } from "../../../parts/forms/AtField";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
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
  return (
    <NewDrawer
      title="Link an identity"
      initial={{ providerId: providers[0]?.id ?? "", subject: "", issuer: "" }}
      plan={(draft) => planLinkOf(user.id, draft)}
      action={() => "Link it"}
      done={() => `The identity is linked to ${nameOf(user)}.`}
      objection={({ providerId, subject }) =>
        providerId === "" ? "The login provider is missing." : subject.trim() ? undefined : "The subject is missing."
      }
      onClose={onClose}
    >
      {(draft, change) => <Fields user={user} providers={providers} draft={draft} change={change} />}
    </NewDrawer>
  );
}

interface FieldProps extends Omit<Props, "onClose"> {
  draft: Draft;
  change: (changed: Partial<Draft>) => void;
}

function Fields({ user, providers, draft, change }: FieldProps) {
  const kind = providers.find(({ id }) => id === draft.providerId)?.kind ?? "oidc";
  return (
    <>
      <Text size="sm">
        Whoever signs in with this identity is <bdi>{nameOf(user)}</bdi> from then on, without a password. Be sure that
        it is theirs.
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
          description={subjects[kind] ?? "The claim sub, as the provider sends it."}
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
    </>
  );
}
