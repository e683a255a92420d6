import { Button, CopyButton, Group, Menu } from "@mantine/core";
import { useState } from "react";
import { useWhyNot } from "../../../api/queries";
import { arriving } from "../../../parts/arriving";
import type { Shown } from "../shown";
import { cloning, moving } from "./plans";

type Opened = Shown & { onClose: () => void };

const beside = { waiting: null, isBeside: true };
const drawers = {
  compare: arriving<Opened>(() => import("../compare/Compare"), beside),
  clone: arriving<Opened>(() => import("./Clone"), beside),
  move: arriving<Opened>(() => import("./Move"), beside),
};

/** What can be done with a flag as a whole. */
export function FlagActions({ feature, version }: Shown) {
  const [opened, setOpened] = useState<keyof typeof drawers>();
  const whyNot = useWhyNot();
  const Drawer = opened && drawers[opened];
  const ways = [
    { name: "clone" as const, label: "Clone …", refusal: whyNot(cloning(feature.project, feature.name, "")) },
    { name: "move" as const, label: "Move to another project …", refusal: whyNot(moving(feature.project, "", "")) },
  ];
  return (
    <Group gap="sm">
      <CopyButton value={feature.name}>
        {({ copied, copy }) => (
          <Button variant="default" size="compact-sm" onClick={copy}>
            {copied ? "Copied" : "Copy the name"}
          </Button>
        )}
      </CopyButton>
      {feature.environments.length > 1 && (
        <Button variant="default" size="compact-sm" onClick={() => setOpened("compare")}>
          Compare environments
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="compact-sm" aria-label="More actions">
            More …
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ways.map(({ name, label, refusal }) => (
            <Menu.Item
              key={name}
              aria-disabled={refusal ? true : undefined}
              closeMenuOnClick={!refusal}
              onClick={refusal ? undefined : () => setOpened(name)}
            >
              {label}
              {refusal && <div className="muted">{refusal}</div>}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {Drawer && <Drawer feature={feature} version={version} onClose={() => setOpened(undefined)} />}
    </Group>
  );
}
