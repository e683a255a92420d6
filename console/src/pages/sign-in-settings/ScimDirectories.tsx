import { Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { useAddress } from "../../parts/address";
import { Listing, type Column } from "../../parts/area/Listing";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { readDirectories } from "../../parts/directories";
import { AtField } from "../../parts/forms/AtField";
import { NewDrawer } from "../../parts/forms/NewDrawer";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { useKeys } from "../../parts/keys";
import { Moment } from "../../parts/Moment";
import { SecretOnce } from "../../parts/SecretOnce";
import { number } from "../../words/counts";
import { ScimAddress } from "./ScimAddress";
import { released } from "./released";

type Entry = Schemas["ScimDirectoryEntry"];

/** A token, as long as it is shown, and whose it is. */
interface Shown {
  name: string;
  token: string;
}

const mostDirectories = 50;
const longestName = 100;

const creation = ({ name } = { name: "…" }) =>
  request("post", "/api/admin/scim-settings/directories", { body: { name: name.trim() } });

const ofDirectory = (directoryId: number) => ({ params: { path: { directoryId } } });

/** The directories in addition to the default one, each with a token of its own. */
export function ScimDirectories() {
  const { get, change } = useAddress();
  const read = useRead(readDirectories);
  const [shown, setShown] = useState<Shown>();
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New directory", run: () => open("true") } });
  const entries = read.data?.directories ?? [];
  const columns: Column<Entry>[] = [
    { head: "Name", cell: ({ directory }) => <bdi className="breaks">{directory.name}</bdi> },
    {
      head: "Created",
      cell: ({ directory: { createdAt, createdBy } }) => (
        <>
          <Moment at={createdAt} />
          {createdBy && (
            <>
              {" "}
              by <bdi className="breaks">{createdBy}</bdi>
            </>
          )}
        </>
      ),
    },
    { head: "Token last used", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
    { head: "Users", cell: ({ userCount }) => <span className="figures">{number(userCount)}</span> },
    { head: "Groups", cell: ({ groupCount }) => <span className="figures">{number(groupCount)}</span> },
    {
      head: <span className="visually-hidden">Actions</span>,
      cell: (entry) => <Actions entry={entry} onToken={setShown} />,
    },
  ];

  return (
    <section aria-label="Directories">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2}>Directories</Title>
          <ActionButton
            request={creation()}
            because={
              entries.length >= mostDirectories ? `There are ${mostDirectories} already: delete one first.` : undefined
            }
            onClick={() => open("true")}
          >
            New directory
          </ActionButton>
        </Group>
        <Text size="sm">
          For a company with more than one directory. Each has a token of its own, and manages the users and groups that
          it creates, and those that are linked to it; it neither sees nor changes any other. The token above is that of
          the default directory, and the switch above is for all of them.
        </Text>
        <Listing
          label="List of directories"
          read={read}
          items={entries}
          keyOf={({ directory }) => String(directory.id)}
          columns={columns}
          empty="There is no directory besides the default one."
        />
      </Stack>
      {get("new") !== undefined && (
        <NewDrawer
          title="New directory"
          initial={{ name: "" }}
          plan={creation}
          action={({ name }) => `Create ${name.trim() || "it"}`}
          done={({ name }) => `The directory ${name.trim()} was created.`}
          objection={({ name }) => (name.trim() ? undefined : "A name is missing.")}
          onMade={({ directory: { name }, token }) => {
            setShown({ name, token });
            open(undefined);
          }}
          onClose={() => open(undefined)}
        >
          {({ name }, edit) => (
            <AtField of="name">
              <TextInput
                data-autofocus
                label="Name"
                description="The event log has it beside what the directory does."
                required
                maxLength={longestName}
                value={name}
                onChange={(event) => edit({ name: event.currentTarget.value })}
              />
            </AtField>
          )}
        </NewDrawer>
      )}
      {shown && (
        <SecretOnce title={`The token of ${shown.name}`} secret={shown.token} onClose={() => setShown(undefined)}>
          <Stack gap="sm">
            <Text size="sm">
              Whoever has it creates, changes and deletes users and groups. Give it to <bdi>{shown.name}</bdi> and to
              nobody else.
            </Text>
            <ScimAddress />
          </Stack>
        </SecretOnce>
      )}
    </section>
  );
}

function Actions({ entry, onToken }: { entry: Entry; onToken: (shown: Shown) => void }) {
  const { act, busy } = useAct();
  const { id, name } = entry.directory;
  const renewal = request(
    "post",
    "/api/admin/scim-settings/directories/{directoryId}/generate-new-token",
    ofDirectory(id),
  );

  async function renew() {
    const isSure = await confirm({
      title: `Create another token of ${name}`,
      action: "Create it",
      danger: true,
      requests: [renewal],
      consequence: "The token before stops working at once: the directory changes nothing until it has the new one.",
    });
    if (!isSure) return;
    const made = await act({ request: renewal, done: `${name} has another token.` });
    if (made) onToken({ name, token: made.data.token });
  }

  return (
    <div className={areaClasses.actions}>
      <ActionButton size="compact-xs" variant="default" request={renewal} loading={busy} onClick={() => void renew()}>
        New token …<span className="visually-hidden"> {name}</span>
      </ActionButton>
      <RemoveButton
        compact
        what="directory"
        name={name}
        request={request("delete", "/api/admin/scim-settings/directories/{directoryId}", ofDirectory(id))}
        consequence={`Its token stops working at once. ${released(entry)}`}
      />
    </div>
  );
}
