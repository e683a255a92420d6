import { Button, Group, Select, SegmentedControl, TagsInput, TextInput, Title } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { first, several } from "../../api/address";
import { send } from "../../api/client";
import { useEnvironments } from "../../api/queries";
import { request } from "../../api/request";
import { saveAs } from "../../parts/csv";
import { environmentOption } from "../../parts/EnvironmentName";
import { Problem } from "../../parts/Problem";
import { ProjectField } from "../../parts/project/ProjectField";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { useTitle } from "../../parts/title";
import { inWords } from "./file";
import classes from "./Import.module.css";

const kinds = [
  { value: "project", label: "A project" },
  { value: "tag", label: "A tag" },
  { value: "feature", label: "By name" },
];

/** Gives features in a form that an import takes, here or elsewhere. */
export default function ExportPage() {
  useTitle("Export");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const environments = useEnvironments().filter(({ enabled }) => enabled);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<string>();
  const [error, setError] = useState<unknown>();
  const begun = first(search.tag) !== undefined ? "tag" : search.feature !== undefined ? "feature" : "project";
  const environment = first(search.environment) ?? environments[0]?.name ?? null;
  const project = first(search.project) ?? null;
  const tag = first(search.tag) ?? "";
  const features = several(search.feature).filter(Boolean);
  const go = (changed: Record<string, string | string[] | undefined>) => {
    setOutcome(undefined);
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
    });
  };
  const [typedTag, setTypedTag] = useState(tag);
  const [chosenKind, setKind] = useState(begun);
  const planned = request("post", "/api/admin/features-batch/export", {
    body: {
      environment: environment ?? "",
      ...(chosenKind === "project" ? { project: project ?? "" } : {}),
      ...(chosenKind === "tag" ? { tag: typedTag } : {}),
      ...(chosenKind === "feature" ? { features } : {}),
    },
  });
  const missing = !environment
    ? "Choose an environment."
    : chosenKind === "project" && !project
      ? "Choose a project."
      : chosenKind === "tag" && !typedTag
        ? "Name a tag."
        : chosenKind === "feature" && !features.length
          ? "Name a flag."
          : undefined;

  async function save() {
    if (missing) return;
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await send(planned);
      saveAs(`${project ?? "features"}-${environment}.json`, "application/json", JSON.stringify(data, null, 2));
      setOutcome(data.features.length ? `Saved: ${inWords(data)}.` : "No flag fits: the file is empty.");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      className={classes.page}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Title order={1}>Export</Title>
      <p>
        Saves flags with their tags, and their strategies of one environment, as a file that{" "}
        <Link to="/import">Import</Link> takes.
      </p>
      <SegmentedControl
        aria-label="Which flags"
        data={kinds}
        value={chosenKind}
        onChange={(chosen) => {
          setKind(chosen);
          go({ tag: undefined, feature: undefined });
        }}
      />
      <Group gap="md" align="start">
        {chosenKind === "project" && (
          <ProjectField project={project ?? ""} onChange={(chosen) => go({ project: chosen })} />
        )}
        {chosenKind === "tag" && (
          <TextInput
            label="Value of the tag"
            maxLength={100}
            value={typedTag}
            onChange={(event) => setTypedTag(event.currentTarget.value)}
            onBlur={() => go({ tag: typedTag || undefined })}
          />
        )}
        {chosenKind === "feature" && (
          <TagsInput
            label="Names"
            splitChars={[",", " ", "\n"]}
            value={features}
            onChange={(names) => go({ feature: names })}
          />
        )}
        <Select
          label="Strategies of"
          allowDeselect={false}
          data={environments.map(environmentOption)}
          value={environment}
          onChange={(chosen) => go({ environment: chosen ?? undefined })}
        />
      </Group>
      <Problem error={error} />
      {outcome && <p role="status">{outcome}</p>}
      <RequestPreview requests={[planned]} />
      <Group gap="md">
        <Button
          type="submit"
          loading={busy}
          aria-disabled={missing ? true : undefined}
          data-disabled={missing ? true : undefined}
        >
          Save the file
        </Button>
        {missing && <span className="muted">{missing}</span>}
      </Group>
    </form>
  );
}
