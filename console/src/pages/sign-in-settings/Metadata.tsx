import { Button, FileInput, Group, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { useAct } from "../../parts/act";
import { ActionButton } from "../../parts/ActionButton";
import areaClasses from "../../parts/area/Area.module.css";
import { Moment } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import type { Values } from "./fields";

interface Found {
  wantsSignedRequests: boolean;
  validUntil: string | null;
}

/** Fills the form from the provider's metadata: its address, a file, or the text. Nothing is stored by it. */
export function Metadata({ onProposed }: { onProposed: (values: Partial<Values>) => void }) {
  const [url, setUrl] = useState("");
  const [xml, setXml] = useState("");
  const [found, setFound] = useState<Found>();
  const { act, busy, error } = useAct({ inline: true });
  const planned = request("post", "/api/admin/auth/saml/metadata", {
    body: xml.trim() ? { xml } : { url: url.trim() },
  });
  const isEmpty = !xml.trim() && !url.trim();

  async function read() {
    const done = await act({ request: planned });
    if (!done) return;
    const { entityId, signOnUrl, signOutUrl, certificate, wantsSignedRequests, validUntil } = done.data;
    onProposed({ entityId, signOnUrl, signOutUrl: signOutUrl ?? "", certificate });
    setFound({ wantsSignedRequests, validUntil });
  }

  return (
    <details className={`card ${areaClasses.narrow}`}>
      <summary>Fill it from the provider’s metadata</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty) void read();
        }}
      >
        <Stack gap="sm" mt="sm">
          <TextInput
            label="Address of the metadata"
            maxLength={2000}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <FileInput
            label="Or the file"
            accept=".xml,text/xml,application/xml"
            clearable
            clearButtonProps={{ "aria-label": "No file" }}
            placeholder="Choose a file"
            onChange={(file) => void file?.text().then(setXml)}
          />
          <Textarea
            label="Or the text"
            classNames={{ input: "mono" }}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={1_000_000}
            spellCheck={false}
            value={xml}
            onChange={(event) => setXml(event.currentTarget.value)}
          />
          <Problem error={error} />
          {found && (
            <Text size="sm" role="status" className="good">
              ✓ The form is filled. Nothing is saved yet.{" "}
              {found.wantsSignedRequests &&
                "The provider wants signed requests: give our key below, and see the policy. "}
              {found.validUntil && (
                <>
                  The metadata hold until <Moment at={found.validUntil} />.
                </>
              )}
            </Text>
          )}
          <RequestPreview requests={[planned]} />
          <Group gap="sm">
            <ActionButton
              variant="default"
              request={planned}
              loading={busy}
              because={isEmpty ? "Give an address, a file or the text." : undefined}
              type="submit"
            >
              Read the metadata
            </ActionButton>
            {!isEmpty && (
              <Button
                variant="default"
                onClick={() => {
                  setUrl("");
                  setXml("");
                  setFound(undefined);
                }}
              >
                Empty
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </details>
  );
}
