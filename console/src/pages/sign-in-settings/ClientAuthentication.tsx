import { Select, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { same } from "../../parts/conflict/merge";
import { AtField } from "../../parts/forms/AtField";
import { Form } from "../../parts/forms/FormDrawer";
import { tellFailure } from "../../parts/notices";
import { Unread } from "../../parts/Unread";
import { algorithms } from "./algorithms";
import { ClientKeys } from "./ClientKeys";
import { planParts, planPolicy, readPolicy, type SignInPolicy } from "./policy";

type Method = Schemas["OidcClientAuthentication"];
type Audience = Schemas["OidcAssertionAudience"];

const methods: readonly { value: Method; label: string; about: string }[] = [
  { value: "client_secret", label: "Client secret", about: "The secret of the settings above is sent." },
  {
    value: "private_key_jwt",
    label: "Signed JWT (private_key_jwt)",
    about: "Nothing secret leaves this server: it signs with its current key, by ES256.",
  },
  {
    value: "none",
    label: "None: a public client",
    about: "The provider must require PKCE with S256. Anybody can ask in its name: prefer one of the others.",
  },
];

const audiences: readonly { value: Audience; label: string }[] = [
  { value: "issuer", label: "The issuer" },
  { value: "token_endpoint", label: "The URL of the token endpoint" },
];

const valuesOf = (policy: SignInPolicy) => ({
  oidcSigningAlgorithm: policy.oidcSigningAlgorithm,
  oidcClientAuthentication: policy.oidcClientAuthentication ?? "client_secret",
  oidcAssertionAudience: policy.oidcAssertionAudience ?? "issuer",
});

type Values = ReturnType<typeof valuesOf>;

const changedOf = (start: Values, values: Values): Partial<SignInPolicy> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== start[name as keyof Values]));

/** The signing algorithm of tokens, the client authentication and the keys of this server for it. */
export function ClientAuthentication() {
  const read = useRead(readPolicy);
  if (!read.data) return <Unread read={read} rows={3} />;
  return (
    <>
      <TokensForm policy={read.data} />
      <ClientKeys policy={read.data} />
    </>
  );
}

function TokensForm({ policy }: { policy: SignInPolicy }) {
  const stored = valuesOf(policy);
  const [start, setStart] = useState(stored);
  const [values, setValues] = useState(stored);
  const { act, busy, error } = useAct({ inline: true });
  const set = (part: Partial<Values>) => setValues((before) => ({ ...before, ...part }));
  const changed = changedOf(start, values);
  const isChanged = Object.keys(changed).length > 0;
  const isSigned = values.oidcClientAuthentication === "private_key_jwt";
  if (!isChanged && !same(start, stored)) {
    setStart(stored);
    setValues(stored);
  }

  async function save() {
    let planned;
    try {
      planned = await planParts(changed);
    } catch (failure) {
      return tellFailure(failure);
    }
    const done = await act({
      request: planned.change,
      done: "Tokens and authentication are saved.",
      undo: planned.undo,
    });
    if (done) setStart(values);
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Tokens and client authentication">
      <Form
        request={planPolicy({ ...policy, ...changed })}
        action="Save"
        busy={busy}
        error={error}
        because={
          !isChanged
            ? "Nothing is changed yet."
            : isSigned && policy.oidcClientKey === undefined
              ? "It needs a current key: create one below, and sign with it."
              : undefined
        }
        onSubmit={() => void save()}
      >
        <Title order={2}>Tokens and client authentication</Title>
        <AtField of="oidcSigningAlgorithm">
          <Select
            label="Signing algorithm of tokens"
            description="Of ID tokens and logout tokens: others are refused. Empty: that of the settings above."
            data={algorithms}
            clearable
            clearButtonProps={{ "aria-label": "None: Signing algorithm of tokens" }}
            placeholder="As in the settings"
            value={values.oidcSigningAlgorithm ?? null}
            onChange={(chosen) => set({ oidcSigningAlgorithm: chosen ?? undefined })}
          />
        </AtField>
        <AtField of="oidcClientAuthentication">
          <Select
            label="Client authentication"
            description={methods.find(({ value }) => value === values.oidcClientAuthentication)?.about}
            data={methods}
            allowDeselect={false}
            value={values.oidcClientAuthentication}
            onChange={(chosen) => chosen && set({ oidcClientAuthentication: chosen })}
          />
        </AtField>
        {isSigned && (
          <AtField of="oidcAssertionAudience">
            <Select
              label="Recipient in the JWT (aud)"
              description="Some providers, such as Okta, insist on the token endpoint."
              data={audiences}
              allowDeselect={false}
              value={values.oidcAssertionAudience}
              onChange={(chosen) => chosen && set({ oidcAssertionAudience: chosen })}
            />
          </AtField>
        )}
        <Text size="sm" className="muted">
          They hold from the next sign-in on. Try it out afterwards: a trial uses them as they are saved.
        </Text>
      </Form>
    </section>
  );
}
