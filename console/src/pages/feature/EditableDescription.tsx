import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { onlyFor, request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { Description } from "../../parts/markdown/Description";
import { Problem } from "../../parts/Problem";
import type { Shown } from "./FeaturePage";

const focus = (field: HTMLTextAreaElement | null) => field?.focus();

/** The description of a flag, edited where it is read. */
export function EditableDescription({ feature, version }: Shown) {
  const stored = feature.description ?? "";
  // The version is that of what was read when editing began: nothing newer is overwritten.
  const [edited, setEdited] = useState<{ text: string; version: string | undefined }>();
  const { act, busy, error, setError } = useAct({ inline: true });
  const plan = (value: string) =>
    request("patch", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: feature.project, featureName: feature.name } },
      body: [{ op: "replace", path: "/description", value }],
    });

  function close() {
    setEdited(undefined);
    setError(undefined);
  }

  async function save() {
    if (!edited) return;
    const saved = await act({
      request: onlyFor(plan(edited.text), edited.version),
      done: "The description is saved.",
      undo: plan(stored),
    });
    await saved?.refreshed;
    if (saved) setEdited(undefined);
  }

  if (!edited) {
    return (
      <>
        <div className="breaks">{stored ? <Description text={stored} /> : "None."}</div>
        <ActionButton
          variant="default"
          size="compact-xs"
          request={plan("")}
          onClick={() => setEdited({ text: stored, version })}
        >
          Edit the description
        </ActionButton>
      </>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="xs">
        <Textarea
          ref={focus}
          aria-label="Description"
          autosize
          minRows={2}
          maxRows={10}
          maxLength={100_000}
          value={edited.text}
          onChange={(event) => setEdited({ ...edited, text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Escape" && edited.text === stored) close();
          }}
        />
        <Problem error={error} />
        <Group gap="xs">
          <ActionButton
            type="submit"
            size="compact-sm"
            request={plan(edited.text)}
            loading={busy}
            because={edited.text === stored ? "Nothing is changed yet." : undefined}
          >
            Save
          </ActionButton>
          <Button variant="default" size="compact-sm" onClick={close}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
