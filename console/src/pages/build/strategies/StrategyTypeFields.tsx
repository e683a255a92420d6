import { Button, Checkbox, Select, TextInput, Textarea } from "@mantine/core";
import type { Schemas } from "../../../api/request";
import classes from "./StrategyTypes.module.css";

type Parameter = Schemas["StrategyParameter"];
export type Draft = { name: string; title: string; description: string; parameters: Parameter[] };

export const noType: Draft = { name: "", title: "", description: "", parameters: [] };

export const draftOf = ({ name, title, description, parameters }: Schemas["StrategyType"]): Draft => ({
  name,
  title: title ?? "",
  description,
  parameters,
});

export const bodyOf = ({ title, description, parameters }: Draft) => ({
  title: title || null,
  description: description || null,
  parameters,
});

export function objection({ name, parameters }: Draft): string | undefined {
  if (!name.trim()) return "A name is missing.";
  const names = parameters.map((parameter) => parameter.name.trim());
  if (names.includes("")) return "A parameter has no name.";
  return new Set(names).size < names.length ? "Two parameters have the same name." : undefined;
}

const kinds: { value: Parameter["type"]; label: string }[] = [
  { value: "string", label: "text" },
  { value: "percentage", label: "percentage" },
  { value: "list", label: "list" },
  { value: "number", label: "number" },
  { value: "boolean", label: "yes or no" },
];

interface Props {
  draft: Draft;
  change: (changed: Partial<Draft>) => void;
  isNew?: boolean;
}

/** What a strategy type asks for when it is used. */
export function StrategyTypeFields({ draft, change, isNew = false }: Props) {
  const put = (at: number, part: Partial<Parameter>) =>
    change({
      parameters: draft.parameters.map((parameter, index) => (index === at ? { ...parameter, ...part } : parameter)),
    });
  return (
    <>
      {isNew && (
        <TextInput
          data-autofocus
          label="Name"
          description="The name that SDKs know. It cannot be changed later."
          required
          maxLength={100}
          spellCheck={false}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      )}
      <TextInput
        label="Title"
        maxLength={1000}
        value={draft.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxRows={6}
        maxLength={10_000}
        value={draft.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      {draft.parameters.map((parameter, at) => (
        <fieldset key={at} className={classes.parameter}>
          <legend>Parameter {at + 1}</legend>
          <TextInput
            size="xs"
            label="Name"
            required
            maxLength={100}
            value={parameter.name}
            onChange={(event) => put(at, { name: event.currentTarget.value })}
          />
          <Select
            size="xs"
            label="Type"
            allowDeselect={false}
            data={kinds}
            value={parameter.type}
            onChange={(type) => type && put(at, { type: type })}
          />
          <TextInput
            size="xs"
            label="Description"
            maxLength={1000}
            className={classes.across}
            value={parameter.description ?? ""}
            onChange={(event) => put(at, { description: event.currentTarget.value })}
          />
          <Checkbox
            size="xs"
            label="Required"
            checked={parameter.required ?? false}
            onChange={(event) => put(at, { required: event.currentTarget.checked })}
          />
          <Button
            className={classes.remove}
            variant="default"
            size="compact-xs"
            onClick={() => change({ parameters: draft.parameters.filter((_, index) => index !== at) })}
          >
            Remove<span className="visually-hidden"> parameter {at + 1}</span>
          </Button>
        </fieldset>
      ))}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          disabled={draft.parameters.length >= 100}
          onClick={() => change({ parameters: [...draft.parameters, { name: "", type: "string", description: "" }] })}
        >
          Add a parameter
        </Button>
      </div>
    </>
  );
}
