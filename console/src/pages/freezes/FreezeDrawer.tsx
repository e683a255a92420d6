import { MultiSelect, SegmentedControl, Select, Textarea, TextInput } from "@mantine/core";
import { useEnvironments } from "../../api/queries";
import { environmentOption } from "../../parts/EnvironmentName";
import { AtField } from "../../parts/forms/AtField";
import { ChangeDrawer } from "../../parts/forms/ChangeDrawer";
import { NewDrawer } from "../../parts/forms/NewDrawer";
import { useRoles } from "../../parts/people";
import { days, draftOf, objectionTo, planChange, planNew, type Draft, type Window } from "./freezes";

export function NewFreeze({ initial, onClose }: { initial: Draft; onClose: () => void }) {
  return (
    <NewDrawer
      title="New freeze"
      initial={initial}
      plan={planNew}
      action={() => "Create freeze"}
      done={() => "The freeze was created."}
      objection={objectionTo}
      onClose={onClose}
    >
      {(draft, change) => <Fields draft={draft} change={change} />}
    </NewDrawer>
  );
}

export function ChangeFreeze({ window, now, onClose }: { window: Window; now: Date; onClose: () => void }) {
  return (
    <ChangeDrawer
      title="Freeze"
      stored={draftOf(window, now)}
      plan={(draft) => planChange(window.id, draft)}
      done={() => "The freeze is saved."}
      objection={objectionTo}
      onClose={onClose}
    >
      {(draft, change) => <Fields draft={draft} change={change} />}
    </ChangeDrawer>
  );
}

const kinds = [
  { value: "once", label: "Once" },
  { value: "weekly", label: "Every week" },
];

function Fields({ draft, change }: { draft: Draft; change: (changed: Partial<Draft>) => void }) {
  const environments = useEnvironments();
  const roles = useRoles();
  return (
    <>
      <AtField of="reason">
        <Textarea
          data-autofocus
          label="Reason"
          description="Shown where a change is refused."
          required
          autosize
          minRows={2}
          maxLength={500}
          value={draft.reason}
          onChange={(event) => change({ reason: event.currentTarget.value })}
        />
      </AtField>
      <AtField of="environment">
        <Select
          label="Environment"
          allowDeselect={false}
          data={[{ value: "", label: "Every environment" }, ...environments.map(environmentOption)]}
          value={draft.environment}
          onChange={(environment) => change({ environment: environment ?? "" })}
        />
      </AtField>
      <SegmentedControl
        aria-label="How often"
        data={kinds}
        value={draft.kind}
        onChange={(kind) => change({ kind: kind as Draft["kind"] })}
      />
      {draft.kind === "once" ? (
        <>
          <AtField of="once/from">
            <TextInput
              type="datetime-local"
              label={`From, in ${draft.zone}`}
              required
              value={draft.from}
              onChange={(event) => change({ from: event.currentTarget.value })}
            />
          </AtField>
          <AtField of="once/to">
            <TextInput
              type="datetime-local"
              label={`To, in ${draft.zone}`}
              required
              value={draft.to}
              onChange={(event) => change({ to: event.currentTarget.value })}
            />
          </AtField>
        </>
      ) : (
        <>
          <AtField of="weekly/days">
            <MultiSelect
              label="Begins on"
              required
              data={days}
              value={draft.days}
              onChange={(chosen) => change({ days: chosen })}
            />
          </AtField>
          <AtField of="weekly/from">
            <TextInput
              label={`From, in ${draft.zone}`}
              required
              maxLength={5}
              value={draft.begins}
              onChange={(event) => change({ begins: event.currentTarget.value })}
            />
          </AtField>
          <AtField of="weekly/to">
            <TextInput
              label={`To, in ${draft.zone}`}
              description="Up to 24:00; an hour that is not later is one of the next day."
              required
              maxLength={5}
              value={draft.ends}
              onChange={(event) => change({ ends: event.currentTarget.value })}
            />
          </AtField>
        </>
      )}
      <AtField of="zone">
        <Select
          label="Time zone"
          searchable
          limit={100}
          allowDeselect={false}
          data={[...new Set(["UTC", draft.zone, ...Intl.supportedValuesOf("timeZone")])]}
          value={draft.zone}
          onChange={(zone) => zone && change({ zone })}
        />
      </AtField>
      <AtField of="exemptRoles">
        <MultiSelect
          label="Exempt roles"
          description="Their holders may change it nevertheless. Administrators, and whoever may skip change requests there, can if they give a reason."
          searchable
          limit={50}
          data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={draft.exemptRoles.map(String)}
          onChange={(ids) => change({ exemptRoles: ids.map(Number) })}
        />
      </AtField>
    </>
  );
}
