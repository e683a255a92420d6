import { Button, CloseButton, Group, Popover, Stack, TextInput } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Search } from "../../api/address";
import { useKept } from "../../parts/kept";
import { currentView, viewOf, withView, withoutView, type View } from "./views";

interface Props {
  search: Search;
  projectId?: string;
}

const none: View[] = [];

/** Lists with their filters that one saved under a name. Each is an address, so it can be shared as well. */
export function Views({ search, projectId }: Props) {
  const [views, keep] = useKept<View[]>("views", none);
  const [name, setName] = useState("");
  const [isOpen, setOpen] = useState(false);
  const current = currentView(views, projectId, search);
  return (
    <Popover position="bottom-end" width={280} trapFocus shadow="sm" opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button
          variant="default"
          size="compact-sm"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          className={current ? "chosen" : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {current ? `View: ${current.name}` : "Views"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          {views.length === 0 && <span className="muted">No view is saved yet.</span>}
          {views.map((view) => (
            <Group key={view.name} gap="sm" justify="space-between" wrap="nowrap">
              <Link
                to={view.projectId ? "/projects/$projectId/features" : "/features"}
                params={{ projectId: view.projectId ?? "" }}
                search={view.search as never}
                className="breaks"
                onClick={() => setOpen(false)}
              >
                <bdi>{view.name}</bdi>
              </Link>
              <CloseButton
                size="sm"
                aria-label={`Delete the view ${view.name}`}
                onClick={() => keep(withoutView(views, view.name))}
              />
            </Group>
          ))}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!name.trim()) return;
              keep(withView(views, viewOf(name.trim(), projectId, search)));
              setName("");
              setOpen(false);
            }}
          >
            <Group gap="sm" align="end" wrap="nowrap">
              <TextInput
                size="xs"
                label="Save these filters as"
                maxLength={100}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Button type="submit" size="xs" variant="default">
                Save
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
