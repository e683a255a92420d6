import { Stack, TagsInput, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { Problem } from "../../../parts/Problem";
import { RequestPreview } from "../../../parts/requests/RequestPreview";
import { parseTags, tagInWords } from "../../../parts/tags";
import type { Shown } from "../shown";
import classes from "../Feature.module.css";

/** Puts tags on and takes them off; only the difference travels, so two people cannot overwrite each other. */
export function TagsForm({ feature }: Shown) {
  const known = useRead(request("get", "/api/admin/tags"), { staleTime: 60_000 }).data?.tags ?? [];
  const { act, busy, error } = useAct({ inline: true });
  const current = (feature.tags ?? []).map(tagInWords);
  const [edited, setEdited] = useState<string[]>();
  const texts = edited ?? current;
  const added = parseTags(texts.filter((text) => !current.includes(text)));
  const removed = parseTags(current.filter((text) => !texts.includes(text)));
  const plan = (put: typeof added.tags, take: typeof added.tags) =>
    request("put", "/api/admin/features/{featureName}/tags", {
      params: { path: { featureName: feature.name } },
      body: { addedTags: put, removedTags: take },
    });
  const planned = plan(added.tags, removed.tags);
  const isChanged = added.tags.length + removed.tags.length > 0;

  async function save() {
    if (!isChanged || added.objection) return;
    const saved = await act({ request: planned, done: "The tags are saved.", undo: plan(removed.tags, added.tags) });
    await saved?.refreshed;
    if (saved) setEdited(undefined);
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
        <Title order={2}>Tags</Title>
        <TagsInput
          label="Tags"
          description="Each as type:value, such as simple:checkout."
          data={known.map(tagInWords)}
          limit={50}
          error={added.objection}
          value={texts}
          onChange={setEdited}
        />
        <Problem error={error} />
        <RequestPreview requests={[planned]} />
        <div>
          <ActionButton
            type="submit"
            request={planned}
            place={{ project: feature.project }}
            loading={busy}
            because={isChanged ? undefined : "Nothing is changed yet."}
          >
            Save tags
          </ActionButton>
        </div>
      </Stack>
    </form>
  );
}
