import { Button, Drawer, Group, Select, Stack, TagsInput, TextInput, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useFeatureTypes, useProjects } from "../../api/queries";
import { Refusal } from "../../api/refusal";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { complaintAt } from "../../parts/forms/complaints";
import { NameRefused } from "../../parts/forms/NameRefused";
import { leave } from "../../parts/forms/leave";
import { useOfferedProject } from "../../parts/project/offered";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
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
  const form = useForm({
    initialValues: {
      project: projectId ?? "",
      name: "",
      type: "release",
      description: "",
      tags: [] as string[],
    },
  });
  const [isSent, setSent] = useState(false);
  const { name, type, description, tags } = form.values;
  const project = form.values.project || offered;
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
    <Drawer opened onClose={() => void leave(form.isDirty(), onClose)} title="New feature flag" size="md">
      <form onSubmit={form.onSubmit(() => void create())}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label="Name"
            description="What the application asks for. It cannot be changed later."
            required
            maxLength={100}
            spellCheck={false}
            autoComplete="off"
            {...form.getInputProps("name")}
            onChange={(event) => {
              setSent(false);
              form.setFieldValue("name", event.currentTarget.value);
            }}
            error={
              objection && (
                <NameRefused
                  said={objection}
                  typed={name}
                  use={(proposed) => {
                    setSent(false);
                    form.setFieldValue("name", proposed);
                  }}
                />
              )
            }
            rightSection={trial.data && tried === name ? <span className="good">✓</span> : undefined}
          />
          <Select
            label="Project"
            data={projects.map((one) => ({ value: one.id, label: one.name }))}
            searchable
            allowDeselect={false}
            limit={50}
            {...form.getInputProps("project")}
            value={project || null}
          />
          <Select
            label="Type"
            description={
              chosen &&
              `${chosen.description} ${chosen.lifetimeDays ? `Meant to live ${counted(chosen.lifetimeDays, "day")}.` : "Meant to stay."}`
            }
            data={types.map((one) => ({ value: one.id, label: one.name }))}
            allowDeselect={false}
            {...form.getInputProps("type")}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={100_000}
            {...form.getInputProps("description")}
          />
          <TagsInput
            label="Tags"
            description="Each as type:value, such as simple:checkout."
            error={parsed.objection}
            {...form.getInputProps("tags")}
          />
          <Problem error={isSent && objection ? undefined : error} />
          <RequestPreview requests={[planned]} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <ActionButton type="submit" request={planned} loading={busy}>
              Create {name || "it"}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}
