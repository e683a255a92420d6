import { NumberInput, Switch, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { same } from "../../parts/conflict/merge";
import { Form } from "../../parts/forms/FormDrawer";
import { Problem } from "../../parts/Problem";
import { Waiting } from "../../parts/Waiting";
import { AtField } from "../../parts/forms/AtField";
import { planPolicy, readPolicy, type SignInPolicy } from "./policy";

/** What holds for both login providers. */
export function Policy() {
  const read = useRead(readPolicy);
  if (read.error && !read.data) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return <Waiting />;
  return <PolicyForm stored={read.data} />;
}

function PolicyForm({ stored }: { stored: SignInPolicy }) {
  const [start, setStart] = useState(stored);
  const [policy, setPolicy] = useState(stored);
  const { act, busy, error } = useAct({ inline: true });
  const isChanged = !same(start, policy);
  if (!isChanged && !same(start, stored)) {
    setStart(stored);
    setPolicy(stored);
  }
  const set = (part: Partial<SignInPolicy>) => setPolicy((before) => ({ ...before, ...part }));

  async function save() {
    const done = await act({ request: planPolicy(policy), done: "The policy is saved.", undo: planPolicy(start) });
    if (done) setStart(policy);
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Policy">
      <Form
        request={planPolicy(policy)}
        action="Save"
        busy={busy}
        error={error}
        because={isChanged ? undefined : "Nothing is changed yet."}
        onSubmit={() => void save()}
      >
        <AtField of="samlEntityId">
          <TextInput
            label="Our entity id for SAML"
            description="Empty: the public address of this server. Changing it means changing it at the provider."
            maxLength={1000}
            value={policy.samlEntityId ?? ""}
            onChange={(event) => set({ samlEntityId: event.currentTarget.value || undefined })}
          />
        </AtField>
        <Switch
          label="A SAML provider may sign in people who did not ask for it here"
          description="Whoever has an account there can then sign others in as themselves."
          checked={policy.samlIdpInitiated}
          onChange={(event) => set({ samlIdpInitiated: event.currentTarget.checked })}
        />
        <Switch
          label="Requests to SAML providers are signed"
          description="With our key, which the settings of SAML hold."
          checked={policy.samlSignRequests}
          onChange={(event) => set({ samlSignRequests: event.currentTarget.checked })}
        />
        <AtField of="oidcExtraScopes">
          <TagsInput
            label="More scopes to ask OpenID Connect for"
            description="Beyond openid, email and profile."
            maxTags={20}
            value={policy.oidcExtraScopes}
            onChange={(oidcExtraScopes) => set({ oidcExtraScopes })}
          />
        </AtField>
        <Switch
          label="An OpenID Connect provider must say that the email is verified"
          description="Without this, one that says nothing about it is believed."
          checked={policy.requireVerifiedEmail}
          onChange={(event) => set({ requireVerifiedEmail: event.currentTarget.checked })}
        />
        <Switch
          label="An email links somebody new to the user who has it"
          description="Linking ends password, sessions and personal tokens of a user who never signed in through a provider."
          checked={policy.linkByEmail ?? true}
          onChange={(event) => set({ linkByEmail: event.currentTarget.checked })}
        />
        <Switch
          label="Secrets of login settings are masked in answers"
          description="This console asks for the mask anyway; applications get the secrets unless this is on."
          checked={policy.maskSecrets ?? false}
          onChange={(event) => set({ maskSecrets: event.currentTarget.checked })}
        />
        <AtField of="clockSkewSeconds">
          <NumberInput
            label="Seconds that the clock of a provider may be off"
            min={0}
            max={300}
            allowDecimal={false}
            value={policy.clockSkewSeconds}
            onChange={(value) => set({ clockSkewSeconds: Number(value) || 0 })}
          />
        </AtField>
      </Form>
    </section>
  );
}
