import { Alert, Button, Group, Stack, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import type { Reply } from "../../api/client";
import { onlyFor, type Planned } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { same, type Plain } from "../conflict/merge";
import { useSave } from "../conflict/save";
import { RequestPreview } from "../requests/RequestPreview";
import { RestOfRefusal, WithRefusal } from "./AtField";

interface Props<T extends Plain> {
  title: string;
  className?: string;
  /** What is stored, and of which version that is. */
  current: T;
  version: string | undefined;
  plan: (values: T) => Planned;
  reread: () => Promise<Reply<T>>;
  /** Filters of the search for events that tell who was faster. */
  events: Record<string, string>;
  done: string;
  objection?: (values: T) => string | undefined;
  children: (values: T, change: (changed: Partial<T>) => void) => ReactNode;
}

/** A form that stays on its page, saved only over what was seen. */
export function SavedForm<T extends Plain>(props: Props<T>) {
  const { title, className = "", current, version, plan, reread, events, done, objection, children } = props;
  const [start, setStart] = useState({ values: current, version });
  const [values, setValues] = useState(start.values);
  const saving = useSave();
  const isChanged = !same(values, start.values);
  const isOutdated = !same(current, start.values);
  if (isOutdated && !isChanged) {
    setStart({ values: current, version });
    setValues(current);
  }

  async function save() {
    if (!isChanged || objection?.(values)) return;
    const outcome = await saving.save({
      base: start.values,
      version: start.version,
      mine: values,
      plan,
      reread,
      events,
      done,
    });
    if (outcome !== "editing") {
      const fresh = await reread();
      setStart({ values: fresh.data, version: fresh.version });
      setValues(fresh.data);
    }
  }

  return (
    <form
      className={`card ${className}`}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <WithRefusal error={saving.error}>
        <Stack gap="md">
          <Title order={2}>{title}</Title>
          {children(values, (changed) => setValues({ ...values, ...changed }))}
          {isOutdated && isChanged && (
            <Alert color="stone" variant="outline" role="status">
              Somebody changed these settings meanwhile. When you save, you see both.
            </Alert>
          )}
          <RestOfRefusal />
          <RequestPreview requests={[onlyFor(plan(values), start.version)]} />
          <Group gap="sm">
            <ActionButton
              type="submit"
              request={plan(values)}
              loading={saving.busy}
              because={isChanged ? objection?.(values) : "Nothing is changed yet."}
            >
              Save
            </ActionButton>
            <Button variant="default" disabled={!isChanged} onClick={() => setValues(start.values)}>
              Start over
            </Button>
          </Group>
        </Stack>
      </WithRefusal>
    </form>
  );
}
