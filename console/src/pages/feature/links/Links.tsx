import { Anchor, Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import type { Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { ChangeDrawer } from "../../../parts/forms/ChangeDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { overviewRequest } from "../../../parts/project/overview";
import type { Shown } from "../shown";
import { adding, changing, filled, removing, urlObjection, type Draft } from "./links";

type Link = Schemas["FeatureLink"];

/** The API takes no more. */
const most = 10;
const empty: Draft = { url: "", title: "" };
const isSame = (one: string, other: string) => URL.canParse(other) && new URL(other).href === new URL(one).href;
const draftOf = ({ url, title }: Link): Draft => ({ url, title: title ?? "" });

/** The tickets, dashboards and documents of a flag. */
export function Links({ feature }: Pick<Shown, "feature">) {
  const { links } = feature;
  const templates = useRead(overviewRequest(feature.project), { staleTime: 60_000 }).data?.linkTemplates ?? [];
  const [opened, setOpened] = useState<{ link?: Link; start: Draft }>();
  const { act, busy } = useAct();
  const offered = templates
    .map((template) => filled(template, feature))
    .filter((draft) => !links.some(({ url }) => isSame(url, draft.url)));
  const remove = (link: Link) =>
    act({
      request: removing(feature, link.id),
      done: `The link ${link.title ?? link.url} is removed.`,
      undo: adding(feature, draftOf(link)),
    });
  return (
    <section aria-label="Links">
      <h2>Links</h2>
      {links.length === 0 && <p>None.</p>}
      {links.map((link) => (
        <Group key={link.id} gap="xs" justify="space-between" wrap="nowrap">
          <Anchor href={link.url} target="_blank" rel="noreferrer" className="breaks" title={link.url}>
            <bdi>{link.title ?? link.url}</bdi>
          </Anchor>
          <Group gap={4} wrap="nowrap">
            <ActionButton
              variant="default"
              size="compact-xs"
              request={changing(feature, link.id, draftOf(link))}
              onClick={() => setOpened({ link, start: draftOf(link) })}
            >
              Edit<span className="visually-hidden"> {link.title ?? link.url}</span>
            </ActionButton>
            <ActionButton
              variant="default"
              size="compact-xs"
              loading={busy}
              request={removing(feature, link.id)}
              onClick={() => void remove(link)}
            >
              Remove<span className="visually-hidden"> {link.title ?? link.url}</span>
            </ActionButton>
          </Group>
        </Group>
      ))}
      <Group gap="xs">
        <ActionButton
          variant="default"
          size="compact-xs"
          request={adding(feature, empty)}
          because={links.length >= most ? `A flag has at most ${most} links.` : undefined}
          onClick={() => setOpened({ start: empty })}
        >
          Add link
        </ActionButton>
        {links.length < most &&
          offered.map((draft) => (
            <Button key={draft.url} variant="default" size="compact-xs" onClick={() => setOpened({ start: draft })}>
              <bdi className="short" title={draft.url}>
                Add {draft.title || draft.url}
              </bdi>
            </Button>
          ))}
      </Group>
      {opened && (
        <LinkDrawer
          key={opened.link?.id ?? opened.start.url}
          feature={feature}
          {...opened}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  );
}

interface DrawerProps extends Pick<Shown, "feature"> {
  link?: Link;
  start: Draft;
  onClose: () => void;
}

function LinkDrawer({ feature, link, start, onClose }: DrawerProps) {
  const form = {
    objection: ({ url }: Draft) => urlObjection(url),
    onClose,
    children: (draft: Draft, change: (changed: Partial<Draft>) => void) => <Fields draft={draft} change={change} />,
  };
  return link ? (
    <ChangeDrawer
      {...form}
      title="Link"
      stored={start}
      plan={(draft) => changing(feature, link.id, draft)}
      done={() => "The link is saved."}
    />
  ) : (
    <NewDrawer
      {...form}
      title="New link"
      initial={start}
      plan={(draft) => adding(feature, draft)}
      action={() => "Add"}
      done={() => "The link is added."}
    />
  );
}

function Fields({ draft, change }: { draft: Draft; change: (changed: Partial<Draft>) => void }) {
  return (
    <>
      <TextInput
        data-autofocus
        label="Address"
        required
        maxLength={2000}
        spellCheck={false}
        error={draft.url ? urlObjection(draft.url) : undefined}
        value={draft.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      <TextInput
        label="Title"
        description="Shown instead of the address."
        maxLength={255}
        value={draft.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
    </>
  );
}
