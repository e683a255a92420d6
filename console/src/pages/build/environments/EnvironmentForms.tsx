import { Autocomplete, Select, Switch, Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { request, type Schemas } from "../../../api/request";
import areaClasses from "../../../parts/area/Area.module.css";
import { EditDrawer } from "../../../parts/forms/EditDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { AtField } from "../../../parts/forms/AtField";

type Environment = Schemas["Environment"];

type Draft = { name: string; type: string; enabled: boolean; approvals: string };

const approvalsOf = (approvals: string) => (approvals === "" ? null : Number(approvals));

export const planNew = ({ name, type, enabled, approvals }: Draft) =>
  request("post", "/api/admin/environments", {
    body: { name: name.trim(), type, enabled, requiredApprovals: approvalsOf(approvals) },
  });

/** Stands for making an environment where only its permission matters. */
export const example = planNew({ name: "…", type: "development", enabled: true, approvals: "" });

const approvalChoices = [
  { value: "", label: "None: changes take effect at once" },
  ...Array.from({ length: 10 }, (_, at) => ({ value: String(at + 1), label: String(at + 1) })),
];

/** What a project begins with when it begins to use the environment. */
const ApprovalsField = ({ value, onChange }: { value: string; onChange: (approvals: string) => void }) => (
  <AtField of="requiredApprovals">
    <Select
      label="Approvals that changes need"
      description="In projects that use it from now on. Each project can change it in its settings."
      allowDeselect={false}
      data={approvalChoices}
      value={value}
      onChange={(approvals) => onChange(approvals ?? "")}
    />
  </AtField>
);

const known = ["development", "test", "preproduction", "production"];
const typesOf = (environments: readonly Environment[]) => [
  ...new Set([...known, ...environments.map(({ type }) => type)]),
];

const pattern = { pattern: "[a-zA-Z0-9~_.\\-]+", title: "Letters, digits and ~ _ . -" };

interface NameProps {
  description?: string;
  value: string;
  onChange: (name: string) => void;
}

/** The name of an environment that is made. */
export const NameField = ({ description, value, onChange }: NameProps) => (
  <AtField of="name" use={onChange}>
    <TextInput
      data-autofocus
      label="Name"
      description={description}
      required
      maxLength={100}
      {...pattern}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  </AtField>
);

interface TypeProps {
  value: string;
  types: string[];
  onChange: (type: string) => void;
}

export const TypeField = ({ value, types, onChange }: TypeProps) => (
  <Autocomplete
    label="Type"
    description={
      value === "production"
        ? "▲ Production: the console asks before anything changes there."
        : "In environments of the type production, the console asks before changes."
    }
    required
    maxLength={100}
    data={types}
    value={value}
    onChange={onChange}
  />
);

export function NewEnvironment({ environments, onClose }: { environments: Environment[]; onClose: () => void }) {
  return (
    <NewDrawer
      title="New environment"
      initial={{ name: "", type: "development", enabled: true, approvals: "" }}
      plan={planNew}
      action={({ name }) => `Create ${name.trim() || "it"}`}
      done={({ name }) => `The environment ${name.trim()} was created. No project uses it yet.`}
      objection={({ name, type }) => (name.trim() && type.trim() ? undefined : "A name and a type are needed.")}
      onClose={onClose}
    >
      {(draft, change) => (
        <>
          <NameField
            description="What tokens are bound to. It cannot be changed later."
            value={draft.name}
            onChange={(name) => change({ name })}
          />
          <TypeField value={draft.type} types={typesOf(environments)} onChange={(type) => change({ type })} />
          <Switch
            label="In use from the start"
            checked={draft.enabled}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />
          <ApprovalsField value={draft.approvals} onChange={(approvals) => change({ approvals })} />
        </>
      )}
    </NewDrawer>
  );
}

interface Props {
  environment: Environment;
  environments: Environment[];
  onClose: () => void;
}

/** The type of an environment, and the way out. Its name stays. */
export function EnvironmentDrawer({ environment: { name }, environments, onClose }: Props) {
  const params = { path: { name } };
  return (
    <EditDrawer
      title={name}
      read={request("get", "/api/admin/environments/{name}", { params })}
      valuesOf={({ type, requiredApprovals }) => ({
        type,
        approvals: requiredApprovals ? String(requiredApprovals) : "",
      })}
      plan={({ type, approvals }) =>
        request("put", "/api/admin/environments/update/{name}", {
          params,
          body: { type, requiredApprovals: approvalsOf(approvals) },
        })
      }
      events={{ type: "IS:environment-updated", query: name }}
      done="The environment is saved."
      objection={({ type }) => (type.trim() ? undefined : "A type is missing.")}
      onClose={onClose}
      below={(read) => (
        <>
          <section className={areaClasses.section} aria-label="Rewind">
            <Link to="/build/environments/$name/rewind" params={{ name }}>
              Rewind: what it and its flags were at another time
            </Link>
          </section>
          <section className={areaClasses.section} aria-label="Delete">
            <RemoveButton
              what="environment"
              name={name}
              request={request("delete", "/api/admin/environments/{name}", { params })}
              seen={request("get", "/api/admin/environments/{name}", { params })}
              because={read.protected ? "It came with the instance and stays." : undefined}
              consequence={<Loss environment={read} />}
              onRemoved={onClose}
            />
          </section>
        </>
      )}
    >
      {(draft, change, { protected: stays }) => (
        <>
          {stays ? (
            <Text size="sm">It came with the instance: its type ({draft.type}) and its name stay.</Text>
          ) : (
            <TypeField value={draft.type} types={typesOf(environments)} onChange={(type) => change({ type })} />
          )}
          <ApprovalsField value={draft.approvals} onChange={(approvals) => change({ approvals })} />
        </>
      )}
    </EditDrawer>
  );
}

function Loss({ environment: { projectCount, enabledToggleCount, apiTokenCount } }: { environment: Environment }) {
  return (
    <>
      With it go the switches, strategies and variants of every flag there:{" "}
      <strong>
        {enabledToggleCount} flags are on in it, in {projectCount} projects
      </strong>
      ; so do its {apiTokenCount} tokens, and what roles allow in it alone. Reported usage stays. It is refused while a
      project uses no other one.
    </>
  );
}
