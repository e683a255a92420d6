import { Button, Group, Menu } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useDrafted, useMe } from "../../api/queries";
import { isProduction } from "../../parts/EnvironmentName";
import { tellFailure } from "../../parts/notices";
import { BulkPreview } from "../../parts/bulk/BulkPreview";
import { idOf, inWords, type Task } from "../../parts/bulk/tasks";
import { permitted } from "../../parts/bulk/trial";
import { BulkForm, type Form } from "./BulkForms";
import { everyFound } from "./every";
import type { Found, searchOf } from "./query";
import { number } from "../../words/counts";

interface Props {
  query: ReturnType<typeof searchOf>;
  total: number;
  selected: ReadonlyMap<string, Found>;
  setSelected: (selected: ReadonlyMap<string, Found>) => void;
  environments: { name: string; type: string }[];
}

/** What can be done to the selected features; each choice is previewed first. */
export function Bulk({ query, total, selected, setSelected, environments }: Props) {
  const permissions = useMe()?.permissions ?? [];
  const drafted = useDrafted(useParams({ strict: false }).projectId);
  const [task, setTask] = useState<Task>();
  const [form, setForm] = useState<Form>();
  const [busy, setBusy] = useState(false);

  async function selectAll() {
    setBusy(true);
    try {
      const found = await everyFound(query);
      const all = new Map(found.filter(({ archived }) => !archived).map((feature) => [idOf(feature), feature]));
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
    const { can, cannot } = permitted(wanted, features, permissions, (one) => drafted(one) !== undefined);
    return can.length === 0 ? cannot[0]?.reason : undefined;
  };
  const entry = (label: string, reason: string | undefined, run: () => void) => (
    <Menu.Item
      key={label}
      aria-disabled={reason ? true : undefined}
      title={reason}
      closeMenuOnClick={!reason}
      onClick={reason ? undefined : run}
    >
      {label}
      {reason && <div className="muted">{reason}</div>}
    </Menu.Item>
  );
  const item = (wanted: Task, mark = "") => entry(`${mark}${inWords(wanted)}`, whyNot(wanted), () => setTask(wanted));

  return (
    <Group gap="sm" className="card bulk" role="region" aria-label="Selected flags">
      <strong className="figures">{number(selected.size)} selected</strong>
      {selected.size < total && (
        <Button variant="subtle" size="compact-sm" loading={busy} onClick={() => void selectAll()}>
          Select all {number(total)} that fit
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
          {entry("Add or remove tags …", whyNot({ kind: "tag", added: [], removed: [] }), () => setForm("tag"))}
          <Menu.Divider />
          {entry("Move to another project …", whyNot({ kind: "move", to: "" }), () => setForm("move"))}
          {entry("Export …", undefined, () => setForm("export"))}
          {item({ kind: "archive" })}
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" size="compact-sm" onClick={() => setSelected(new Map())}>
        Select none
      </Button>
      {form && (
        <BulkForm
          form={form}
          features={features}
          environments={environments}
          choose={(chosen) => {
            setForm(undefined);
            setTask(chosen);
          }}
          onClose={() => setForm(undefined)}
        />
      )}
      {task && (
        <BulkPreview
          task={task}
          features={features}
          onClose={(done) => {
            setTask(undefined);
            if (done) setSelected(new Map());
          }}
        />
      )}
    </Group>
  );
}
