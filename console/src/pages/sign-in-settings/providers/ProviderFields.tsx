import { Alert, Fieldset, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { AtField } from "../../../parts/forms/AtField";
import ProviderIcon from "../../../parts/ProviderIcon";
import { isNeeded, valueOf, type Draft, type Rules } from "./draft";
import { iconNames, kinds, type Icon, type Kind, type SettingName } from "./kinds";
import { RootRoles } from "./RootRoles";
import { SettingInput } from "./SettingInput";
import { longestLabel, rules, settings, type RuleName } from "./settings";

interface Props {
  kind: Kind;
  draft: Draft;
  roles: readonly { id: number; name: string }[];
  change: (changed: Partial<Draft>) => void;
}

/** What its button shows, and whether it is there. */
export function ButtonFields({ draft, change }: Pick<Props, "draft" | "change">) {
  return (
    <>
      <AtField of="label">
        <TextInput
          label="Label"
          description="Text of its button on the page to sign in."
          required
          maxLength={longestLabel}
          value={draft.label}
          onChange={(event) => change({ label: event.currentTarget.value })}
        />
      </AtField>
      <AtField of="icon">
        <Select
          label="Icon"
          allowDeselect={false}
          leftSection={<ProviderIcon icon={draft.icon} />}
          data={Object.entries(iconNames).map(([value, label]) => ({ value, label }))}
          value={draft.icon}
          onChange={(icon) => icon && change({ icon: icon as Icon })}
        />
      </AtField>
      <Switch
        label="People can sign in this way"
        description={draft.enabled ? undefined : "What is below is kept for the day on which it is switched on."}
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
    </>
  );
}

/** How it is reached: exactly the settings that its kind needs and may have. */
export function ConnectionFields({ kind, draft, roles, change }: Props) {
  const { needs, mayHave, meaning, about, name: kindName } = kinds[kind];
  const field = (name: SettingName) => (
    <AtField key={name} of={`settings/${name}`}>
      <SettingInput
        setting={{ ...settings[name], about: meaning?.[name] ?? settings[name].about }}
        value={valueOf(draft, name)}
        roles={roles}
        isNeeded={isNeeded(kind, draft, name)}
        onChange={(value) => change({ settings: { ...draft.settings, [name]: value } })}
      />
    </AtField>
  );
  return (
    <>
      <Fieldset legend={`Connection to ${kindName}`} variant="unstyled">
        <Stack gap="md">
          {about && (
            <Text size="sm" className="muted">
              {about}
            </Text>
          )}
          {needs.map(field)}
        </Stack>
      </Fieldset>
      <Fieldset legend="More settings, none of which is needed" variant="unstyled">
        <Stack gap="md">{mayHave.map(field)}</Stack>
      </Fieldset>
    </>
  );
}

/** Whom it lets in, and what they are here. */
export function RuleFields({ draft, roles, change }: Omit<Props, "kind">) {
  const put = (changed: Partial<Rules>) => change({ rules: { ...draft.rules, ...changed } });
  const field = (name: RuleName) => (
    <AtField of={`rules/${name}`}>
      <SettingInput
        setting={rules[name]}
        value={draft.rules[name]}
        roles={roles}
        onChange={(value) => put({ [name]: value })}
      />
    </AtField>
  );
  return (
    <Fieldset legend="Who comes in" variant="unstyled">
      <Stack gap="md">
        {field("autoCreate")}
        {draft.rules.autoCreate !== true && field("requestAccess")}
        {draft.rules.autoCreate === true && (
          <>
            {field("defaultRootRoleId")}
            <RootRoles given={draft.rules.rootRoles} roles={roles} onChange={(rootRoles) => put({ rootRoles })} />
          </>
        )}
        {field("emailDomains")}
        {field("linkByEmail")}
        {draft.rules.linkByEmail === true && (
          <Alert role="note" color="stone" variant="outline">
            Whoever gets an email confirmed at this provider then is the user who has that email here, administrators
            among them: only for a provider that is trusted to know whose email is whose. Linking ends password,
            sessions and personal tokens of a user who never signed in through a provider.
          </Alert>
        )}
        {field("requiredGroups")}
        {field("syncGroups")}
      </Stack>
    </Fieldset>
  );
}
