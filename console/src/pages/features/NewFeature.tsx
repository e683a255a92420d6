import { Select, TagsInput, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useFeatureTypes, useProjects } from "../../api/queries";
import { Refusal } from "../../api/refusal";
import { request } from "../../api/request";
import { useAct } from "../../parts/act";
import { same } from "../../parts/conflict/merge";
import { complaintAt } from "../../parts/forms/complaints";
import { DescriptionField } from "../../parts/forms/DescriptionField";
import { Form, FormDrawer } from "../../parts/forms/FormDrawer";
import { NameRefused } from "../../parts/forms/NameRefused";
import { useOfferedProject } from "../../parts/project/offered";
import { parseTags } from "../../parts/tags";
import { counted } from "../../words/counts";

interface Props {
  projectId?: string;
  onClose: () => void;
}

/** Makes a feature. Its name is tried while it is typed: by the rules, by the project's pattern, and whether it is free. */
export default function NewFeature({ projectId, onClose }: Props) {
  const navigate = useNavigate();
  const projects = useProjects();
  const types = useFeatureTypes();
  const offered = useOfferedProject() ?? "";
  const { act, busy, error } = useAct({ inline: true });
  const [initial] = useState({
    project: projectId ?? "",
    name: "",
    type: "release",
    description: "",
    tags: [] as string[],
  });
  const [draft, setDraft] = useState(initial);
  const [isSent, setSent] = useState(false);
  const { name, type, description, tags } = draft;
  const project = draft.project || offered;
  const [tried] = useDebouncedValue(name, 250);
  const trial = useQuery({
    queryKey: ["validateFeature", project, tried],
    queryFn: () =>
      send(request("post", "/api/admin/features/validate", { body: { name: tried, projectId: project } })).then(
        () => true,
      ),
    // What is being created is taken from then on, by itself.
    enabled: tried !== "" && project !== "" && !busy && !isSent,
    retry: false,
  });
  const refused = isSent ? error : tried === name ? trial.error : undefined;
  const objection = refused instanceof Refusal ? complaintAt(refused, "name") : undefined;
  const parsed = parseTags(tags);
  const planned = request("post", "/api/admin/projects/{projectId}/features", {
    params: { path: { projectId: project } },
    body: { name, type, description: description || undefined, tags: parsed.tags.length ? parsed.tags : undefined },
  });
  const chosen = types.find(({ id }) => id === type);

  const change = (changed: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...changed }));

  function rename(typed: string) {
    setSent(false);
    change({ name: typed });
  }

  async function create() {
    if (!name || (objection && !isSent) || parsed.objection) return;
    setSent(true);
    const made = await act({ request: planned, done: `${name} was created. It is off everywhere.` });
    if (made) {
      void navigate({
        to: "/projects/$projectId/features/$featureName",
        params: { projectId: project, featureName: name },
      });
    }
  }

  return (
    <FormDrawer title="New feature flag" onClose={onClose}>
      <Form
        request={planned}
        action={`Create ${name || "it"}`}
        busy={busy}
        error={isSent && objection ? undefined : error}
        onSubmit={() => void create()}
        onCancel={onClose}
        isChanged={!same(draft, initial)}
      >
        <TextInput
          data-autofocus
          label="Name"
          description="What the application asks for. It cannot be changed later."
          required
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          value={name}
          onChange={(event) => rename(event.currentTarget.value)}
          error={objection && <NameRefused said={objection} typed={name} use={rename} />}
          rightSection={trial.data && tried === name ? <span className="good">✓</span> : undefined}
        />
        <Select
          label="Project"
          data={projects.map((one) => ({ value: one.id, label: one.name }))}
          searchable
          allowDeselect={false}
          limit={50}
          value={project || null}
          onChange={(id) => id && change({ project: id })}
        />
        <Select
          label="Type"
          description={
            chosen &&
            `${chosen.description} ${chosen.lifetimeDays ? `Meant to live ${counted(chosen.lifetimeDays, "day")}.` : "Meant to stay."}`
          }
          data={types.map((one) => ({ value: one.id, label: one.name }))}
          allowDeselect={false}
          value={type}
          onChange={(id) => id && change({ type: id })}
        />
        <DescriptionField
          value={description}
          onChange={(text) => change({ description: text })}
          most={100_000}
          rows={8}
        />
        <TagsInput
          label="Tags"
          description="Each as type:value, such as simple:checkout."
          error={parsed.objection}
          value={tags}
          onChange={(texts) => change({ tags: texts })}
        />
      </Form>
    </FormDrawer>
  );
}
