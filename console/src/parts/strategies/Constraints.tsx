import { Button, Checkbox, Select, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useApplicationNames } from "../applications";
import { AtField } from "../forms/AtField";
import { useFocusOnceNew } from "../forms/useFocusOnceNew";
import { takesOneValue } from "./audience";
import { DateValue } from "./DateValue";
import { operatorsFor } from "./operators";
import { useConstraintObjection } from "./validation";
import { ofField, ofOperator, orderOfFields } from "./values";
import classes from "./Constraints.module.css";

type Constraint = Schemas["Constraint"];

interface Props {
  constraints: Constraint[];
  change: (constraints: Constraint[]) => void;
}

/** Conditions on what a program tells of its user; all of them must hold. */
export function Constraints({ constraints, change }: Props) {
  const [added, setAdded] = useState<number>();
  const fields = useRead(request("get", "/api/admin/context"), { staleTime: 60_000 }).data ?? [];
  const put = (at: number, changed: Partial<Constraint>) =>
    change(constraints.map((constraint, index) => (index === at ? { ...constraint, ...changed } : constraint)));
  return (
    <>
      {constraints.map((constraint, at) => (
        <Row
          key={at}
          at={at}
          constraint={constraint}
          fields={fields}
          isNew={at === added}
          put={(changed) => put(at, changed)}
          remove={() => {
            setAdded(undefined);
            change(constraints.filter((_, index) => index !== at));
          }}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            setAdded(constraints.length);
            change([...constraints, { contextName: "userId", operator: "IN", values: [] }]);
          }}
        >
          Add constraint
        </Button>
      </div>
    </>
  );
}

interface RowProps {
  at: number;
  constraint: Constraint;
  fields: readonly Schemas["ContextField"][];
  isNew: boolean;
  put: (changed: Partial<Constraint>) => void;
  remove: () => void;
}

function Row({ at, constraint, fields, isNew, put, remove }: RowProps) {
  const missing = useFocusOnceNew<HTMLInputElement>(isNew);
  const { contextName, operator, value, values, inverted, caseInsensitive } = constraint;
  const legal = fields.find(({ name }) => name === contextName)?.legalValues?.map((one) => one.value) ?? [];
  const applications = useApplicationNames(contextName === "appName");
  const objection = useConstraintObjection(constraint, legal);
  const names = fields.map(({ name }) => name);
  const putValue = (entered: string) => put({ value: entered, values: [] });
  return (
    <fieldset className={classes.constraint}>
      <legend className="visually-hidden">Constraint {at + 1}</legend>
      <AtField of={`constraints/${at}/contextName`}>
        <Select
          label="Field"
          size="xs"
          searchable
          limit={50}
          allowDeselect={false}
          data={orderOfFields(names, contextName)}
          value={contextName}
          onChange={(name) => name && put(ofField(constraint, name))}
        />
      </AtField>
      <AtField of={`constraints/${at}/operator`}>
        <Select
          label="Operator"
          size="xs"
          allowDeselect={false}
          data={operatorsFor(contextName, legal)}
          value={operator}
          onChange={(chosen) => chosen && put(ofOperator(constraint, chosen))}
        />
      </AtField>
      <div className={classes.across}>
        {operator.startsWith("DATE_") ? (
          <DateValue value={value ?? ""} onChange={putValue} />
        ) : !takesOneValue(operator) ? (
          <AtField of={`constraints/${at}/values`}>
            <TagsInput
              ref={missing}
              label="Values"
              size="xs"
              splitChars={[",", "\n"]}
              limit={50}
              data={legal.length > 0 ? legal : [...applications]}
              error={values?.length ? objection : undefined}
              value={values ?? []}
              onChange={(entered) => put({ values: entered, value: undefined })}
            />
          </AtField>
        ) : legal.length > 0 ? (
          <AtField of={`constraints/${at}/value`}>
            <Select
              label="Value"
              size="xs"
              searchable
              allowDeselect={false}
              data={[...new Set([...legal, value ?? ""])].filter(Boolean)}
              error={value ? objection : undefined}
              value={value || null}
              onChange={(chosen) => putValue(chosen ?? "")}
            />
          </AtField>
        ) : (
          <AtField of={`constraints/${at}/value`}>
            <TextInput
              label="Value"
              size="xs"
              inputMode={operator.startsWith("NUM_") ? "decimal" : undefined}
              error={value ? objection : undefined}
              value={value ?? ""}
              onChange={(event) => putValue(event.currentTarget.value)}
            />
          </AtField>
        )}
      </div>
      <Checkbox
        size="xs"
        label="Negate"
        checked={inverted ?? false}
        onChange={(event) => put({ inverted: event.currentTarget.checked })}
      />
      {operator.startsWith("STR_") && (
        <Checkbox
          size="xs"
          label="Ignore case"
          checked={caseInsensitive ?? false}
          onChange={(event) => put({ caseInsensitive: event.currentTarget.checked })}
        />
      )}
      <Button className={classes.remove} variant="default" size="compact-xs" onClick={remove}>
        Remove constraint
      </Button>
    </fieldset>
  );
}
