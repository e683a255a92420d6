import { TagsInput, Text } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { useAct } from "../../parts/act";
import { same } from "../../parts/conflict/merge";
import { Form } from "../../parts/forms/FormDrawer";

const plan = (frontendApiOrigins: string[]) =>
  request("post", "/api/admin/ui-config/cors", { body: { frontendApiOrigins } });

/** The pages whose scripts may ask from a browser what is on. */
export function Origins({ stored }: { stored: string[] }) {
  const [edited, setEdited] = useState<string[]>();
  const origins = edited ?? stored;
  const { act, busy, error } = useAct({ inline: true });

  async function save() {
    const done = await act({ request: plan(origins), done: "The origins are saved.", undo: plan(stored) });
    await done?.refreshed;
    if (done) setEdited(undefined);
  }

  return (
    <section className="card" aria-label="Origins">
      <h2>Pages that may ask from a browser</h2>
      <Form
        request={plan(origins)}
        action="Save"
        busy={busy}
        error={error}
        because={same(origins, stored) ? "Nothing is changed yet." : undefined}
        onSubmit={() => void save()}
      >
        <TagsInput
          label="Origins"
          description="Such as https://shop.example.com; * stands for any."
          maxTags={100}
          value={origins}
          onChange={setEdited}
        />
        {origins.length === 0 && (
          <Text size="sm" className="warning">
            None: no page of another origin is answered.
          </Text>
        )}
        {origins.includes("*") && (
          <Text size="sm" className="muted">
            Any page may ask. It still needs a token for browsers.
          </Text>
        )}
      </Form>
    </section>
  );
}
