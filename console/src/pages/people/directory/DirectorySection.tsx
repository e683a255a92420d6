import { Group, Select, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request, type Planned } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { directoryName, linkable, readDirectories, type Choice, type Managed } from "../../../parts/directories";
import { Problem } from "../../../parts/Problem";
import classes from "../../../parts/area/Area.module.css";

const words = {
  user: {
    powers: "manages the user: it changes names and email, decides whether they can sign in, and can delete them.",
    linking:
      "Check first that the account and the entry of the directory belong to the same person: whoever controls the entry can sign in as this user.",
    handingOver: "Roles, password and tokens stay.",
    takingBack:
      "Names, email and whether they can sign in are changed here again. No directory takes the user over anew while they hold a role that was given by hand.",
  },
  group: {
    powers: "manages the group: it changes name and members, and can delete it.",
    linking: "Whoever controls the directory then decides who has the roles of this group.",
    handingOver: "The group keeps its people, and is no longer nested in others.",
    takingBack:
      "Name and members are changed here again. The group keeps its own people, and is no longer nested: whoever was in another group through it alone leaves that one.",
  },
};

interface Props {
  what: keyof typeof words;
  name: string;
  managed: Managed;
  link: (directoryId: number | undefined) => Planned;
  unlink: Planned;
}

const keyOf = ({ id }: Choice) => String(id ?? "default");

/** Which directory manages a user or a group, with the link that lets another one, and the way back. */
export function DirectorySection({ what, name, managed, link, unlink }: Props) {
  const settings = useRead(request("get", "/api/admin/scim-settings"), { staleTime: 60_000 });
  const read = useRead(readDirectories, { staleTime: 60_000 });
  const [chosen, setChosen] = useState<string>();
  const { act, busy } = useAct();
  const { scimId, scimLinked, scimDirectory } = managed;
  const isTheirs = Boolean(scimId ?? scimLinked);
  const error = settings.error ?? read.error;
  if (!isTheirs && !settings.data?.enabled && !error) return null;

  const entries = read.data?.directories ?? [];
  const current = directoryName(scimDirectory, read.data?.directories);
  const choices = read.data ? linkable(managed, entries) : [];
  const choice = choices.find((one) => keyOf(one) === chosen) ?? choices[0];
  const { powers, linking, handingOver, takingBack } = words[what];

  async function linkTo({ id, name: directory }: Choice) {
    const isHandedOver = isTheirs && id !== scimDirectory;
    const isSure = await confirm({
      title: isHandedOver ? `Hand ${name} over to ${directory}` : `Link ${name} to ${directory}`,
      action: isHandedOver ? "Hand it over" : "Link it",
      danger: true,
      requests: [link(id)],
      consequence: (
        <>
          From then on <bdi>{directory}</bdi> {powers} {linking}
          {isHandedOver && (
            <>
              {" "}
              <bdi>{current}</bdi> neither sees nor changes the {what} any more. {handingOver}
            </>
          )}
        </>
      ),
    });
    if (!isSure) return;
    await act({
      request: link(id),
      done: `${name} is linked to ${directory}.`,
      // Of what another directory knew, nothing is known that could be put back.
      undo: isTheirs ? undefined : unlink,
    });
  }

  async function takeBack() {
    const isSure = await confirm({
      title: `Take ${name} back from ${current}`,
      action: "Take it back",
      danger: true,
      requests: [unlink],
      consequence: takingBack,
    });
    if (isSure) await act({ request: unlink, done: `${name} is managed by hand.` });
  }

  return (
    <section className={classes.section} aria-label="Directory">
      <Title order={3}>Directory</Title>
      <Problem error={error} again={() => void Promise.all([settings.refetch(), read.refetch()])} />
      <Text size="sm" my="sm" className="breaks">
        {scimId ? (
          <>
            Managed by <bdi>{current}</bdi>.
          </>
        ) : scimLinked ? (
          <>
            Linked to <bdi>{current}</bdi>, which has changed nothing yet: until it does, everything is changed here.
          </>
        ) : (
          `No directory manages this ${what}.`
        )}
      </Text>
      <Group gap="sm" align="end">
        {choices.length > 1 && (
          <Select
            label="Link to"
            size="xs"
            allowDeselect={false}
            data={choices.map((one) => ({ value: keyOf(one), label: one.name }))}
            value={choice ? keyOf(choice) : null}
            onChange={(value) => setChosen(value ?? undefined)}
          />
        )}
        {choice && (
          <ActionButton
            size="compact-sm"
            variant="default"
            request={link(choice.id)}
            loading={busy}
            onClick={() => void linkTo(choice)}
          >
            {isTheirs && choice.id !== scimDirectory ? "Hand over …" : "Link …"}
          </ActionButton>
        )}
        {isTheirs && (
          <ActionButton
            size="compact-sm"
            variant="default"
            request={unlink}
            loading={busy}
            onClick={() => void takeBack()}
          >
            Take back …
          </ActionButton>
        )}
      </Group>
    </section>
  );
}
