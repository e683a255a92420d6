import { Alert, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { useInstance, useRead } from "../../api/queries";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { complaints } from "../../parts/forms/complaints";
import { Form } from "../../parts/forms/FormDrawer";
import { tellFailure } from "../../parts/notices";
import { useRootRoles } from "../../parts/people";
import { Unread } from "../../parts/Unread";
import { Certificates } from "./Certificates";
import { ClientAuthentication } from "./ClientAuthentication";
import { Differences } from "./Differences";
import { FieldInput } from "./FieldInput";
import {
  differences,
  fields,
  missing,
  onTopOf,
  planOutcome,
  planRead,
  planSave,
  planTrial,
  valuesOf,
  type Protocol,
  type Values,
} from "./fields";
import { Metadata } from "./Metadata";
import { MetadataFollowing } from "./MetadataFollowing";
import { ProviderNeeds } from "./ProviderNeeds";
import { Trial } from "./Trial";

/** The settings of one login provider. */
export function Provider({ protocol }: { protocol: Protocol }) {
  const read = useRead(planRead(protocol));
  const roles = useRootRoles();
  const instance = useInstance();
  if (!read.data || !instance || roles.length === 0) return <Unread read={read} />;
  const byOperator = protocol === "oidc" ? instance.oidcConfiguredThroughEnv : instance.samlConfiguredThroughEnv;
  const stored = valuesOf(protocol, read.data, roles);
  return (
    <>
      <ProviderNeeds protocol={protocol} />
      <Settings protocol={protocol} stored={stored} roles={roles} byOperator={byOperator} />
      {protocol === "oidc" ? (
        <ClientAuthentication />
      ) : (
        <>
          <Certificates setting={String(stored.certificate)} />
          <MetadataFollowing isInUse={stored.enabled} byOperator={byOperator} />
        </>
      )}
    </>
  );
}

interface Props {
  protocol: Protocol;
  stored: Values;
  roles: { id: number; name: string }[];
  /** Set up in the environment of the server, where nobody else can change it. */
  byOperator: boolean;
}

function Settings({ protocol, stored, roles, byOperator }: Props) {
  const [start, setStart] = useState(stored);
  const [values, setValues] = useState(stored);
  const { act, busy, error } = useAct({ inline: true });
  const changed = differences(protocol, start, values);
  const lacking = missing(protocol, values);
  const about = complaints(error);
  const set = (part: Partial<Values>) => setValues((before) => ({ ...before, ...part }) as Values);

  if (changed.length === 0 && differences(protocol, start, stored).length > 0) {
    setStart(stored);
    setValues(stored);
  }

  async function save() {
    let fresh;
    try {
      fresh = valuesOf(protocol, (await send(planRead(protocol))).data, roles);
    } catch (failure) {
      return tellFailure(failure);
    }
    const theirs = differences(protocol, start, fresh);
    const wanted = onTopOf(fresh, start, values);
    const isSure = await confirm({
      title: "What saving changes",
      action: "Save",
      requests: [planSave(protocol, wanted)],
      consequence: <Differences mine={differences(protocol, fresh, wanted)} theirs={theirs} />,
    });
    if (!isSure) return;
    const done = await act({ request: planSave(protocol, wanted), done: "The settings are saved." });
    if (!done) return;
    setStart(wanted);
    setValues(wanted);
  }

  return (
    <>
      {protocol === "saml" && <Metadata onProposed={set} />}
      <section className={`card ${areaClasses.narrow}`} aria-label="Settings">
        <Form
          request={planSave(protocol, values)}
          action="Save …"
          busy={busy}
          error={error}
          because={
            byOperator
              ? "The operator set this up in the environment of the server, and only there it can be changed."
              : lacking.length > 0
                ? `While it is in use, it needs: ${lacking.map(({ label }) => label).join(", ")}.`
                : changed.length === 0
                  ? "Nothing is changed yet."
                  : undefined
          }
          onSubmit={() => void save()}
        >
          {byOperator && (
            <Alert color="stone" variant="outline">
              The operator set this up in the environment of the server. It can be read here, and changed there.
            </Alert>
          )}
          <Switch
            label="People can sign in this way"
            description={values.enabled ? undefined : "What is below is kept for the day on which it is switched on."}
            checked={values.enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
          {fields[protocol]
            .filter(({ under }) => !under || values[under])
            .map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={values[field.name] ?? ""}
                roles={roles}
                isNeeded={field.needed === true && values.enabled}
                error={about[field.name]}
                onChange={(value) => set({ [field.name]: value })}
              />
            ))}
          <Text size="sm" className="muted">
            Who is signed in stays so. Before saving you see what changes.
          </Text>
        </Form>
      </section>
      <Trial
        request={planTrial(protocol, values)}
        planOutcome={(trialId) => planOutcome(protocol, trialId)}
        lacking={missing(protocol, { ...values, enabled: true }).map(({ label }) => label)}
      />
    </>
  );
}
