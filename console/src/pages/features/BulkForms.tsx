import { Button, Group, Modal, Select, Stack, TagsInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import type { Selected, Task } from "../../parts/bulk/tasks";
import { saveAs } from "../../parts/csv";
import { environmentOption } from "../../parts/EnvironmentName";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { parseTags, tagInWords } from "../../parts/tags";
import { number } from "../../words/counts";

/** What must be known before some tasks can be previewed. */
export type Form = "tag" | "move" | "export";

interface Props {
  features: readonly Selected[];
  environments: readonly { name: string; type: string }[];
  choose: (task: Task) => void;
  onClose: () => void;
}

export function BulkForm({ form, ...props }: Props & { form: Form }) {
  if (form === "tag") return <TagForm {...props} />;
  return form === "move" ? <MoveForm {...props} /> : <ExportForm {...props} />;
}

/** Suggestions stay open after a choice: they must not lie over the buttons below. */
const above = { position: "top", middlewares: { flip: false } } as const;
const shallow = 120;

function TagForm({ features, choose, onClose }: Props) {
  const known = useRead(request("get", "/api/admin/tags"), { staleTime: 60_000 }).data?.tags ?? [];
  const present = [...new Set(features.flatMap(({ tags }) => (tags ?? []).map(tagInWords)))].sort();
  const [texts, setTexts] = useState<{ added: string[]; removed: string[] }>({ added: [], removed: [] });
  const [typed, setTyped] = useState("");
  const added = parseTags(texts.added);
  const removed = parseTags(texts.removed);
  const count = added.tags.length + removed.tags.length;
  return (
    <Modal opened onClose={onClose} title="Add or remove tags" size="md">
      <Stack gap="md">
        <TagsInput
          data-autofocus
          label="Add"
          description="Each as type:value, such as simple:checkout."
          data={typed ? known.map(tagInWords) : []}
          limit={50}
          searchValue={typed}
          onSearchChange={setTyped}
          error={added.objection}
          value={texts.added}
          onChange={(value) => setTexts({ ...texts, added: value })}
        />
        <TagsInput
          label="Remove"
          description={present.length ? undefined : "The selected flags have no tags."}
          data={present}
          limit={50}
          comboboxProps={above}
          maxDropdownHeight={shallow}
          error={removed.objection}
          value={texts.removed}
          onChange={(value) => setTexts({ ...texts, removed: value })}
        />
        <Steps onClose={onClose}>
          <Button
            disabled={count === 0 || Boolean(added.objection ?? removed.objection)}
            onClick={() => choose({ kind: "tag", added: added.tags, removed: removed.tags })}
          >
            Preview
          </Button>
        </Steps>
      </Stack>
    </Modal>
  );
}

function MoveForm({ features, choose, onClose }: Props) {
  const [to, setTo] = useState<string | null>(null);
  const here = new Set(features.map(({ project }) => project));
  const projects = useProjects().filter(({ id }) => here.size > 1 || !here.has(id));
  return (
    <Modal opened onClose={onClose} title="Move to another project" size="md">
      <Stack gap="md">
        <Select
          data-autofocus
          label="Project"
          description="Flags keep their configuration, tags and event log. Both projects must use the same environments."
          searchable
          limit={50}
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          value={to}
          onChange={setTo}
        />
        <Steps onClose={onClose}>
          <Button disabled={!to} onClick={() => to && choose({ kind: "move", to })}>
            Preview
          </Button>
        </Steps>
      </Stack>
    </Modal>
  );
}

function ExportForm({ features, environments, onClose }: Props) {
  const [environment, setEnvironment] = useState(environments[0]?.name ?? null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const planned = request("post", "/api/admin/features-batch/export", {
    body: { environment: environment ?? "", features: features.map(({ name }) => name) },
  });

  async function save() {
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await send(planned);
      saveAs(`flags-${environment}.json`, "application/json", JSON.stringify(data, null, 2));
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal opened onClose={onClose} title="Export" size="md">
      <Stack gap="md">
        <Select
          data-autofocus
          label="Strategies of"
          description="The file has the flags, their tags, and their strategies of one environment. Import reads it."
          allowDeselect={false}
          data={environments.map(environmentOption)}
          value={environment}
          onChange={setEnvironment}
        />
        <Problem error={error} />
        <RequestPreview requests={[planned]} />
        <Steps onClose={onClose}>
          <Button loading={busy} disabled={!environment} onClick={() => void save()}>
            Export {number(features.length)}
          </Button>
        </Steps>
      </Stack>
    </Modal>
  );
}

function Steps({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  return (
    <Group justify="flex-end" gap="sm" className="actions">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      {children}
    </Group>
  );
}
