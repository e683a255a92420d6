import { Checkbox, Group } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { BulkPreview } from "../../../parts/bulk/BulkPreview";
import { confirm } from "../../../parts/confirm";
import { Moment } from "../../../parts/Moment";
import { Rows } from "../../../parts/Rows";
import { Unread } from "../../../parts/Unread";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";
import { counted } from "../../../words/counts";

/** What was archived, by whom and when: revived, or deleted for ever. */
export default function Archive({ projectId }: OfProject) {
  const read = useRead(request("get", "/api/admin/archive/features/{projectId}", { params: { path: { projectId } } }));
  // Who did it stands in the events alone.
  const events = useRead(
    request("get", "/api/admin/search/events", {
      params: { query: { project: `IS:${projectId}`, type: "IS:feature-archived", limit: "1000" } },
    }),
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isPreviewed, setPreviewed] = useState(false);
  const { act, busy } = useAct();

  if (!read.data) return <Unread read={read} />;
  const features = read.data.features;
  const by = new Map([...(events.data?.events ?? [])].reverse().map((one) => [one.featureName, one.createdBy]));
  const names = features.map(({ name }) => name).filter((name) => selected.has(name));
  const params = { path: { projectId } };
  const revive = request("post", "/api/admin/projects/{projectId}/revive", { params, body: { features: names } });
  const remove = request("post", "/api/admin/projects/{projectId}/delete", { params, body: { features: names } });
  const choose = (chosen: string[], on: boolean) =>
    setSelected((before) => new Set(on ? [...before, ...chosen] : [...before].filter((one) => !chosen.includes(one))));
  const what = names.length === 1 ? names[0]! : counted(names.length, "flag");

  async function reviveThem() {
    const done = await act({
      request: revive,
      done: `${what}: in use again, and off everywhere.`,
      undo: request("post", "/api/admin/projects/{projectId}/archive", { params, body: { features: names } }),
    });
    if (done) setSelected(new Set());
  }

  async function removeThem() {
    const isSure = await confirm({
      title: `Delete ${what} for ever`,
      action: "Delete for ever",
      danger: true,
      typed: names.length === 1 ? names[0] : String(names.length),
      requests: [remove],
      consequence: (
        <>
          With strategies, variants, tags and usage. Their names can be given again, and an application that still asks
          for one then gets the new one. What happened stays in the event log.
          <ul>
            {names.slice(0, 20).map((name) => (
              <li key={name}>
                <bdi>{name}</bdi>
              </li>
            ))}
            {names.length > 20 && <li>and {names.length - 20} more</li>}
          </ul>
        </>
      ),
    });
    if (!isSure) return;
    const done = await act({ request: remove, done: `${what}: deleted.` });
    if (done) setSelected(new Set());
  }

  if (features.length === 0) return <div className="card">Nothing is archived in this project.</div>;
  const none = names.length ? undefined : "Select flags first.";
  return (
    <div className={classes.list}>
      <Group gap="sm" role="region" aria-label="Selected flags">
        <strong className="figures">{names.length} selected</strong>
        <ActionButton
          size="compact-sm"
          variant="default"
          request={revive}
          because={none}
          loading={busy}
          onClick={() => (names.length > 1 ? setPreviewed(true) : void reviveThem())}
        >
          Revive{names.length > 1 && " …"}
        </ActionButton>
        <ActionButton
          size="compact-sm"
          variant="outline"
          color="red"
          request={remove}
          because={none}
          loading={busy}
          onClick={() => void removeThem()}
        >
          Delete for ever …
        </ActionButton>
      </Group>
      <Rows
        label="Archived flags"
        asCards
        count={features.length}
        columns={5}
        keyOf={(index) => features[index]!.name}
        head={
          <>
            <th>
              <Checkbox
                size="xs"
                aria-label="Select all"
                checked={names.length === features.length}
                onChange={(event) =>
                  choose(
                    features.map(({ name }) => name),
                    event.currentTarget.checked,
                  )
                }
              />
            </th>
            <th>Name</th>
            <th className={classes.wide}>Type</th>
            <th>Archived</th>
            <th>By</th>
          </>
        }
        row={(index) => {
          const { name, type, archivedAt } = features[index]!;
          return (
            <>
              <td>
                <Checkbox
                  size="xs"
                  aria-label={`Select ${name}`}
                  checked={selected.has(name)}
                  onChange={(event) => choose([name], event.currentTarget.checked)}
                />
              </td>
              <td className={`breaks ${classes.name}`}>
                <bdi>{name}</bdi>
              </td>
              <td className={classes.wide} data-label="Type">
                {type}
              </td>
              <td data-label="Archived">
                <Moment at={archivedAt} />
              </td>
              <td className="breaks" data-label="By">
                <bdi>{by.get(name) ?? "–"}</bdi>
              </td>
            </>
          );
        }}
      />
      {isPreviewed && (
        <BulkPreview
          task={{ kind: "revive" }}
          features={names.map((name) => ({ project: projectId, name }))}
          onClose={(done) => {
            setPreviewed(false);
            if (done) setSelected(new Set());
          }}
        />
      )}
    </div>
  );
}
