import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useSave } from "../../parts/conflict/save";
import { Description } from "../../parts/markdown/Description";
import { Problem } from "../../parts/Problem";
import type { Shown } from "./shown";
import { featureRequest } from "./request";

const focus = (field: HTMLTextAreaElement | null) => field?.focus();

const valueOf = ({ description }: Shown["feature"]) => ({ description: description ?? "" });

const planFor =
  ({ project, name }: Shown["feature"]) =>
  ({ description }: { description: string }) =>
    request("patch", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: project, featureName: name } },
      body: [{ op: "replace", path: "/description", value: description }],
    });

/** The description of a flag, edited where it is read. */
export function EditableDescription({ feature, version }: Shown) {
  // What was shown when editing began: nothing newer is overwritten.
  const [edited, setEdited] = useState<Shown>();
  if (edited) return <DescriptionForm {...edited} onClose={() => setEdited(undefined)} />;
  const stored = valueOf(feature);
  return (
    <>
      <div className="breaks">{stored.description ? <Description text={stored.description} /> : "None."}</div>
      <ActionButton
        variant="default"
        size="compact-xs"
        request={planFor(feature)(stored)}
        onClick={() => setEdited({ feature, version })}
      >
        Edit the description
      </ActionButton>
    </>
  );
}

function DescriptionForm({ feature, version, onClose }: Shown & { onClose: () => void }) {
  const stored = valueOf(feature);
  const [text, setText] = useState(stored.description);
  const { save, busy, error } = useSave();
  const plan = planFor(feature);

  async function submit() {
    const outcome = await save({
      base: stored,
      version,
      mine: { description: text },
      plan,
      reread: async () => {
        const fresh = await send(featureRequest(feature.project, feature.name));
        return { data: valueOf(fresh.data), version: fresh.version };
      },
      feature: feature.name,
      done: "The description is saved.",
    });
    if (outcome !== "editing") onClose();
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
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
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && text === stored.description) onClose();
          }}
        />
        <Problem error={error} />
        <Group gap="xs">
          <ActionButton
            type="submit"
            size="compact-sm"
            request={plan({ description: text })}
            loading={busy}
            because={text === stored.description ? "Nothing is changed yet." : undefined}
          >
            Save
          </ActionButton>
          <Button variant="default" size="compact-sm" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
