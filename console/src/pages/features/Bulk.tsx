import { Button, Group, Menu } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { useMe } from "../../api/queries";
import { isProduction } from "../../parts/EnvironmentName";
import { tellFailure } from "../../parts/notices";
import { BulkPreview } from "../../parts/bulk/BulkPreview";
import { idOf, inWords, permitted, type Task } from "../../parts/bulk/bulk";
import type { Found } from "./FeatureTable";
import { searchRequest, type searchOf } from "./query";

interface Props {
  query: ReturnType<typeof searchOf>;
  total: number;
  selected: ReadonlyMap<string, Found>;
  setSelected: (selected: ReadonlyMap<string, Found>) => void;
  environments: { name: string; type: string }[];
}

const most = 1000;

/** What can be done to the selected features; each choice is previewed first. */
export function Bulk({ query, total, selected, setSelected, environments }: Props) {
  const permissions = useMe()?.permissions ?? [];
  const [task, setTask] = useState<Task>();
  const [busy, setBusy] = useState(false);

  async function selectAll() {
    setBusy(true);
    try {
      const all = new Map<string, Found>();
      for (let offset = 0; offset < total; offset += most) {
        const { data } = await send(searchRequest({ ...query, offset: String(offset), limit: String(most) }));
        for (const feature of data.features) all.set(idOf(feature), feature);
        if (data.features.length < most) break;
      }
      setSelected(all);
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setBusy(false);
    }
  }

  const features = [...selected.values()];
  // Where some can be changed, the preview says which ones are left out.
  const whyNot = (wanted: Task) => {
    const { can, cannot } = permitted(wanted, features, permissions);
    return can.length === 0 ? cannot[0]?.reason : undefined;
  };
  const item = (wanted: Task, mark = "") => {
    const reason = whyNot(wanted);
    return (
      <Menu.Item
        key={JSON.stringify(wanted)}
        aria-disabled={reason ? true : undefined}
        title={reason}
        closeMenuOnClick={!reason}
        onClick={reason ? undefined : () => setTask(wanted)}
      >
        {mark}
        {inWords(wanted)}
        {reason && <div className="muted">{reason}</div>}
      </Menu.Item>
    );
  };

  return (
    <Group gap="sm" className="card bulk" role="region" aria-label="Selected flags">
      <strong className="figures">{selected.size} selected</strong>
      {selected.size < total && (
        <Button variant="subtle" size="compact-sm" loading={busy} onClick={() => void selectAll()}>
          Select all {total} that fit
        </Button>
      )}
      <Menu position="bottom-start">
        <Menu.Target>
          <Button size="compact-sm">Change them …</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {environments.flatMap(({ name, type }) =>
            [true, false].map((enabled) =>
              item({ kind: "switch", environment: name, enabled }, isProduction(type) ? "▲ " : ""),
            ),
          )}
          <Menu.Divider />
          {item({ kind: "stale", stale: true })}
          {item({ kind: "stale", stale: false })}
          <Menu.Divider />
          {item({ kind: "archive" })}
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" size="compact-sm" onClick={() => setSelected(new Map())}>
        Select none
      </Button>
      {task && (
        <BulkPreview
          task={task}
          features={features}
          inProduction={
            task.kind === "switch" &&
            environments.some(({ name, type }) => name === task.environment && isProduction(type))
          }
          onClose={(done) => {
            setTask(undefined);
            if (done) setSelected(new Map());
          }}
        />
      )}
    </Group>
  );
}
