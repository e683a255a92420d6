import { Select, Switch } from "@mantine/core";
import { send } from "../../../api/client";
import { useFeatureTypes } from "../../../api/queries";
import { request } from "../../../api/request";
import { SavedForm } from "../../../parts/forms/SavedForm";
import type { Shown } from "../shown";
import { featureRequest } from "../request";
import classes from "../Feature.module.css";
import { AtField } from "../../../parts/forms/AtField";
import { DescriptionField } from "../../../parts/forms/DescriptionField";

type Values = { description: string; type: string; impressionData: boolean };

const valuesOf = (feature: Shown["feature"]): Values => ({
  description: feature.description ?? "",
  type: feature.type,
  impressionData: feature.impressionData,
});

/** Description, type and impression data. */
export function Metadata({ feature, version }: Shown) {
  const types = useFeatureTypes();
  const plan = ({ description, type, impressionData }: Values) =>
    request("patch", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: feature.project, featureName: feature.name } },
      body: [
        { op: "replace", path: "/description", value: description },
        { op: "replace", path: "/type", value: type },
        { op: "replace", path: "/impressionData", value: impressionData },
      ],
    });
  return (
    <SavedForm
      title="Settings"
      className={classes.narrow}
      current={valuesOf(feature)}
      version={version}
      plan={plan}
      reread={async () => {
        const fresh = await send(featureRequest(feature.project, feature.name));
        return { data: valuesOf(fresh.data), version: fresh.version };
      }}
      events={{ feature: `IS:${feature.name}` }}
      done="The settings are saved."
    >
      {(values, change) => (
        <>
          <DescriptionField
            value={values.description}
            onChange={(description) => change({ description })}
            most={100_000}
            rows={10}
          />
          <AtField of="type">
            <Select
              label="Type"
              description={types.find(({ id }) => id === values.type)?.description}
              allowDeselect={false}
              data={[...new Set([...types.map(({ id }) => id), values.type])]}
              value={values.type}
              onChange={(type) => type && change({ type })}
            />
          </AtField>
          <Switch
            label="Applications report each time that they show it (impression data)"
            checked={values.impressionData}
            onChange={(event) => change({ impressionData: event.currentTarget.checked })}
          />
        </>
      )}
    </SavedForm>
  );
}
