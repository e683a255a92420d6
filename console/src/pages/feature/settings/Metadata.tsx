import { Alert, Button, Group, Select, Stack, Switch, Textarea, Title } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { useFeatureTypes } from "../../../api/queries";
import { onlyFor, request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { same } from "../../../parts/conflict/merge";
import { useSave } from "../../../parts/conflict/save";
import { Problem } from "../../../parts/Problem";
import { RequestPreview } from "../../../parts/requests/RequestPreview";
import { featureRequest, type Shown } from "../FeaturePage";
import classes from "../Feature.module.css";

type Values = { description: string; type: string; impressionData: boolean };

const valuesOf = (feature: Shown["feature"]): Values => ({
  description: feature.description ?? "",
  type: feature.type,
  impressionData: feature.impressionData,
});

/** Description, type and impression data, saved only over what was seen. */
export function Metadata({ feature, version }: Shown) {
  const types = useFeatureTypes();
  const current = valuesOf(feature);
  const [start, setStart] = useState({ values: current, version });
  const [values, setValues] = useState(start.values);
  const saving = useSave();
  const isChanged = !same(values, start.values);
  const isOutdated = !same(current, start.values);
  if (isOutdated && !isChanged) {
    setStart({ values: current, version });
    setValues(current);
  }

  const plan = ({ description, type, impressionData }: Values) =>
    request("patch", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: feature.project, featureName: feature.name } },
      body: [
        { op: "replace", path: "/description", value: description },
        { op: "replace", path: "/type", value: type },
        { op: "replace", path: "/impressionData", value: impressionData },
      ],
    });

  async function save() {
    if (!isChanged) return;
    const outcome = await saving.save({
      base: start.values,
      version: start.version,
      mine: values,
      plan,
      reread: async () => {
        const fresh = await send(featureRequest(feature.project, feature.name));
        return { data: valuesOf(fresh.data), version: fresh.version };
      },
      feature: feature.name,
      done: "The settings are saved.",
    });
    if (outcome !== "editing") {
      const fresh = await send(featureRequest(feature.project, feature.name));
      setStart({ values: valuesOf(fresh.data), version: fresh.version });
      setValues(valuesOf(fresh.data));
    }
  }

  return (
    <form
      className={`card ${classes.narrow}`}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="md">
        <Title order={2}>Settings</Title>
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxRows={10}
          maxLength={100_000}
          value={values.description}
          onChange={(event) => setValues({ ...values, description: event.currentTarget.value })}
        />
        <Select
          label="Type"
          description={types.find(({ id }) => id === values.type)?.description}
          allowDeselect={false}
          data={[...new Set([...types.map(({ id }) => id), values.type])]}
          value={values.type}
          onChange={(type) => type && setValues({ ...values, type })}
        />
        <Switch
          label="Programs report each time that they show it (impression data)"
          checked={values.impressionData}
          onChange={(event) => setValues({ ...values, impressionData: event.currentTarget.checked })}
        />
        {isOutdated && isChanged && (
          <Alert color="stone" variant="outline" role="status">
            Somebody changed these settings meanwhile. When you save, you see both.
          </Alert>
        )}
        <Problem error={saving.error} />
        <RequestPreview requests={[onlyFor(plan(values), start.version)]} />
        <Group gap="sm">
          <ActionButton
            type="submit"
            request={plan(values)}
            loading={saving.busy}
            because={isChanged ? undefined : "Nothing is changed yet."}
          >
            Save
          </ActionButton>
          <Button variant="default" disabled={!isChanged} onClick={() => setValues(start.values)}>
            Start over
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
