import { NumberInput, Switch, TagsInput, TextInput } from "@mantine/core";
import areaClasses from "../../parts/area/Area.module.css";
import { AtField } from "../../parts/forms/AtField";
import { EditForm } from "../../parts/forms/EditDrawer";
import { longestClaim, policyClaims } from "./claims";
import { planPolicy, readPolicy, type SignInPolicy } from "./policy";

/** What holds for both login providers. */
export function Policy() {
  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Policy">
      <EditForm
        read={readPolicy}
        valuesOf={(policy) => policy}
        plan={planPolicy}
        events={{ type: "IS_ANY_OF:setting-created,setting-updated", query: "flagstone.sign-in-policy" }}
        done="The policy is saved."
      >
        {(policy, set) => <Fields policy={policy} set={set} />}
      </EditForm>
    </section>
  );
}

function Fields({ policy, set }: { policy: SignInPolicy; set: (part: Partial<SignInPolicy>) => void }) {
  return (
    <>
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
      {policyClaims.map(({ name, label, about }) => (
        <AtField key={name} of={name}>
          <TextInput
            label={label}
            description={about}
            maxLength={longestClaim}
            spellCheck={false}
            autoComplete="off"
            value={policy[name] ?? ""}
            onChange={(event) => set({ [name]: event.currentTarget.value || undefined })}
          />
        </AtField>
      ))}
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
        label="People without an account request access by signing in"
        description="Where signing in does not create users. An administrator then decides, in People, Access requests."
        checked={policy.requestAccess ?? false}
        onChange={(event) => set({ requestAccess: event.currentTarget.checked })}
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
    </>
  );
}
