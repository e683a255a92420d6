import { Button, Stack, TextInput } from "@mantine/core";
import type { Schemas } from "../../../api/request";
import classes from "./LegalValues.module.css";

type Value = Schemas["LegalValue"];

/** The only values that conditions may name; without any, all may be named. */
export function LegalValues({ values, change }: { values: Value[]; change: (values: Value[]) => void }) {
  const put = (at: number, part: Partial<Value>) =>
    change(values.map((value, index) => (index === at ? { ...value, ...part } : value)));
  return (
    <fieldset className={classes.values}>
      <legend>Values that constraints may name</legend>
      <Stack gap="sm">
        {values.length === 0 && <span className="muted">Any.</span>}
        {values.map((value, at) => (
          <div key={at} className={classes.value}>
            <TextInput
              size="xs"
              label={`Value ${at + 1}`}
              required
              maxLength={100}
              value={value.value}
              onChange={(event) => put(at, { value: event.currentTarget.value })}
            />
            <TextInput
              size="xs"
              label="What it stands for"
              maxLength={1000}
              value={value.description ?? ""}
              onChange={(event) => put(at, { description: event.currentTarget.value })}
            />
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`Remove value ${at + 1}`}
              onClick={() => change(values.filter((_, index) => index !== at))}
            >
              Remove
            </Button>
          </div>
        ))}
        <div>
          <Button
            variant="default"
            size="compact-sm"
            disabled={values.length >= 1000}
            onClick={() => change([...values, { value: "" }])}
          >
            Add a value
          </Button>
        </div>
      </Stack>
    </fieldset>
  );
}
