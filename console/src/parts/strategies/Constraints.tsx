import { Button, Checkbox, Select, TagsInput, TextInput } from "@mantine/core";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { AtField } from "../forms/AtField";
import { inWords, operatorNames, takesOneValue } from "./audience";
import { DateValue } from "./DateValue";
import { clock, ofField, ofOperator, valueObjection } from "./values";
import classes from "./Constraints.module.css";

type Constraint = Schemas["Constraint"];

interface Props {
  constraints: Constraint[];
  change: (constraints: Constraint[]) => void;
}

/** Conditions on what a program tells of its user; all of them must hold. */
export function Constraints({ constraints, change }: Props) {
  const fields = useRead(request("get", "/api/admin/context"), { staleTime: 60_000 }).data ?? [];
  const put = (at: number, changed: Partial<Constraint>) =>
    change(constraints.map((constraint, index) => (index === at ? { ...constraint, ...changed } : constraint)));
  return (
    <>
      {constraints.map((constraint, at) => (
        <fieldset key={at} className={classes.constraint}>
          <legend className="visually-hidden">Constraint {at + 1}</legend>
          <AtField of={`constraints/${at}/contextName`}>
            <Select
              label="Field"
              size="xs"
              searchable
              limit={50}
              allowDeselect={false}
              data={[...new Set(["userId", clock, ...fields.map(({ name }) => name), constraint.contextName])]}
              value={constraint.contextName}
              onChange={(contextName) => contextName && put(at, ofField(constraint, contextName))}
            />
          </AtField>
          <AtField of={`constraints/${at}/operator`}>
            <Select
              label="Operator"
              size="xs"
              allowDeselect={false}
              data={operatorNames.map((operator) => ({ value: operator, label: inWords(operator) }))}
              value={constraint.operator}
              onChange={(operator) => operator && put(at, ofOperator(constraint, operator))}
            />
          </AtField>
          <div className={classes.across}>
            {constraint.operator.startsWith("DATE_") ? (
              <DateValue value={constraint.value ?? ""} onChange={(value) => put(at, { value, values: [] })} />
            ) : takesOneValue(constraint.operator) ? (
              <AtField of={`constraints/${at}/value`}>
                <TextInput
                  label="Value"
                  size="xs"
                  inputMode={constraint.operator.startsWith("NUM_") ? "decimal" : undefined}
                  error={constraint.value ? valueObjection(constraint) : undefined}
                  value={constraint.value ?? ""}
                  onChange={(event) => put(at, { value: event.currentTarget.value, values: [] })}
                />
              </AtField>
            ) : (
              <AtField of={`constraints/${at}/values`}>
                <TagsInput
                  label="Values"
                  size="xs"
                  splitChars={[",", "\n"]}
                  data={
                    fields
                      .find(({ name }) => name === constraint.contextName)
                      ?.legalValues?.map(({ value }) => value) ?? []
                  }
                  value={constraint.values ?? []}
                  onChange={(values) => put(at, { values, value: undefined })}
                />
              </AtField>
            )}
          </div>
          <Checkbox
            size="xs"
            label="Negate"
            checked={constraint.inverted ?? false}
            onChange={(event) => put(at, { inverted: event.currentTarget.checked })}
          />
          {constraint.operator.startsWith("STR_") && (
            <Checkbox
              size="xs"
              label="Ignore case"
              checked={constraint.caseInsensitive ?? false}
              onChange={(event) => put(at, { caseInsensitive: event.currentTarget.checked })}
            />
          )}
          <Button
            className={classes.across}
            variant="default"
            size="compact-xs"
            onClick={() => change(constraints.filter((_, index) => index !== at))}
          >
            Remove constraint
          </Button>
        </fieldset>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => change([...constraints, { contextName: "userId", operator: "IN", values: [] }])}
      >
        Add constraint
      </Button>
    </>
  );
}
