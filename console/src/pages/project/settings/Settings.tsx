import { NumberInput, Select, Text, TextInput, Textarea } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import type { OfProject } from "../shown";
import { ArchiveProject } from "./ArchiveProject";
import { ChangeRequests } from "./ChangeRequests";
import { LinkTemplates } from "./LinkTemplates";
import { fits } from "./pattern";
import { generalOf, planGeneral, planRules, rulesOf } from "./plans";
import { Reviewers } from "./Reviewers";
import { SettingsForm } from "./SettingsForm";
import { AtField } from "../../../parts/forms/AtField";
import { DescriptionField } from "../../../parts/forms/DescriptionField";

type Mode = Schemas["ProjectOverview"]["mode"];

const modes: { value: Mode; label: string }[] = [
  { value: "open", label: "Open: everybody sees it and may ask for changes" },
  { value: "protected", label: "Protected: everybody sees it" },
  { value: "private", label: "Private: only its members see it" },
];

/** What a project is called, who sees it, and what may be made in it. */
export default function Settings(props: OfProject) {
  return (
    <>
      <div>
        <Link to="/projects/$projectId/$tab" params={{ projectId: props.projectId, tab: "rewind" }}>
          Rewind: what the settings were at another time
        </Link>
      </div>
      <General {...props} />
      <Rules {...props} />
      <ChangeRequests projectId={props.projectId} />
      <Reviewers projectId={props.projectId} />
      <LinkTemplates {...props} />
      <ArchiveProject {...props} />
    </>
  );
}

function General(props: OfProject) {
  const { projectId } = props;
  const fields = useRead(request("get", "/api/admin/context"), { staleTime: 60_000 }).data ?? [];
  const sticky = fields.filter(({ stickiness }) => stickiness).map(({ name }) => name);
  return (
    <SettingsForm
      {...props}
      title="General"
      valuesOf={generalOf}
      plan={(values) => planGeneral(projectId, values)}
      objection={({ name }) => (name.trim() ? undefined : "It needs a name.")}
    >
      {(values, change) => (
        <>
          <AtField of="name">
            <TextInput
              label="Name"
              required
              maxLength={200}
              value={values.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          </AtField>
          <DescriptionField
            value={values.description}
            onChange={(description) => change({ description })}
            most={10_000}
            rows={10}
          />
          <AtField of="mode">
            <Select
              label="Who sees it"
              allowDeselect={false}
              data={modes}
              value={values.mode}
              onChange={(mode) => mode && change({ mode })}
            />
          </AtField>
          <AtField of="defaultStickiness">
            <Select
              label="Stickiness of new strategies"
              description="What keeps a user in the same share from one question to the next."
              allowDeselect={false}
              data={[...new Set(["default", "random", "userId", "sessionId", ...sticky, values.defaultStickiness])]}
              value={values.defaultStickiness}
              onChange={(defaultStickiness) => defaultStickiness && change({ defaultStickiness })}
            />
          </AtField>
        </>
      )}
    </SettingsForm>
  );
}

function Rules(props: OfProject) {
  const { projectId } = props;
  const [tried, setTried] = useState("");
  return (
    <SettingsForm
      {...props}
      title="Rules for flags"
      valuesOf={rulesOf}
      plan={(values) => planRules(projectId, values)}
      objection={({ pattern, example }) =>
        fits(pattern, "").objection ??
        (example && !fits(pattern, example).fits ? "The example does not fit the pattern." : undefined)
      }
    >
      {(values, change) => {
        const outcome = fits(values.pattern, tried);
        return (
          <>
            <AtField of="featureLimit">
              <NumberInput
                label="Most flags"
                description="Archived ones do not count. Left empty, there is no limit but that of the instance."
                min={1}
                max={1_000_000}
                allowDecimal={false}
                value={values.featureLimit}
                onChange={(limit) => change({ featureLimit: limit === "" ? "" : String(limit) })}
              />
            </AtField>
            <AtField of="pattern">
              <TextInput
                label="Pattern for names"
                description="A regular expression that the whole name must fit. Flags that exist keep their names."
                spellCheck={false}
                maxLength={500}
                error={outcome.objection}
                value={values.pattern}
                onChange={(event) => change({ pattern: event.currentTarget.value })}
              />
            </AtField>
            {values.pattern && !outcome.objection && (
              <TextInput
                label="Try a name"
                spellCheck={false}
                value={tried}
                onChange={(event) => setTried(event.currentTarget.value)}
                description={
                  tried ? (
                    <Text component="span" size="xs" className={outcome.fits ? "good" : "danger"} role="status">
                      {outcome.fits ? "✓ fits" : "✗ does not fit"}
                    </Text>
                  ) : (
                    "Nothing is saved by it."
                  )
                }
              />
            )}
            <AtField of="example">
              <TextInput
                label="Example of a name"
                spellCheck={false}
                maxLength={100}
                value={values.example}
                onChange={(event) => change({ example: event.currentTarget.value })}
              />
            </AtField>
            <AtField of="description">
              <Textarea
                label="What names should say"
                autosize
                minRows={2}
                maxRows={6}
                maxLength={1000}
                value={values.description}
                onChange={(event) => change({ description: event.currentTarget.value })}
              />
            </AtField>
          </>
        );
      }}
    </SettingsForm>
  );
}
