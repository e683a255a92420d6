import { Alert } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { send } from "../../api/client";
import { keyOf, useExactRead } from "../../api/queries";
import type { Place } from "../../api/permissions";
import { onlyFor, type Planned } from "../../api/request";
import { same, type Plain } from "../conflict/merge";
import { useSave } from "../conflict/save";
import { Form, FormDrawer } from "./FormDrawer";
import { Unread } from "../Unread";

interface Props<A, T extends Plain> {
  title: string;
  read: Planned<A>;
  valuesOf: (answer: A) => T;
  plan: (values: T) => Planned;
  /** Where its permission counts. */
  place?: (values: T) => Place;
  /** Filters of the search for events that tell who was faster. */
  events: Record<string, string>;
  done: string;
  /** What its button says. */
  action?: (values: T) => string;
  /** Asks, where saving has consequences. */
  isMeant?: (values: T) => Promise<boolean>;
  objection?: (values: T, start: T) => string | undefined;
  /** Whether nothing that is known takes this change back. */
  isLasting?: (start: T, values: T) => boolean;
  /** Absent on a page, where nothing is closed. */
  onClose?: () => void;
  /** Whether it stays after it was saved, for what is done with it next. */
  stays?: boolean;
  size?: string;
  children: (values: T, change: (changed: Partial<T>) => void, answer: A, error: unknown) => ReactNode;
  /** What else can be done with it, below the form. */
  below?: (answer: A) => ReactNode;
}

/** Changes something, only over what was seen. */
export function EditDrawer<A, T extends Plain>(props: Props<A, T> & { onClose: () => void }) {
  const { title, onClose, size } = props;
  return (
    <FormDrawer title={title} onClose={onClose} size={size}>
      <EditForm {...props} />
    </FormDrawer>
  );
}

/** The same in a drawer that holds more, or on a page. */
export function EditForm<A, T extends Plain>(props: Omit<Props<A, T>, "title" | "size">) {
  const { read: planned, below } = props;
  const read = useExactRead(planned);
  if (!read.data) return <Unread read={read} />;
  return (
    <>
      <Editor key={keyOf(planned)[1]} {...props} answer={read.data} version={read.version} />
      {below?.(read.data)}
    </>
  );
}

type EditorProps<A, T extends Plain> = Omit<Props<A, T>, "title" | "size"> & { answer: A; version: string | undefined };

function Editor<A, T extends Plain>(props: EditorProps<A, T>) {
  const { read, valuesOf, plan, place, events, done, isMeant, objection, isLasting, children, answer, version } = props;
  const { action = () => "Save", onClose, stays = onClose === undefined } = props;
  const current = valuesOf(answer);
  const [start, setStart] = useState({ values: current, version });
  const [values, setValues] = useState(current);
  const saving = useSave();
  const isChanged = !same(values, start.values);
  const isOutdated = !same(current, start.values);
  if (isOutdated && !isChanged) {
    setStart({ values: current, version });
    setValues(current);
  }

  async function reread() {
    const fresh = await send(read);
    return { data: valuesOf(fresh.data), version: fresh.version };
  }

  async function save() {
    if (isMeant && !(await isMeant(values))) return;
    const outcome = await saving.save({
      base: start.values,
      version: start.version,
      mine: values,
      plan,
      reread,
      events,
      done,
      isLasting,
    });
    if ((outcome === "saved" && !stays) || outcome === "drafted") {
      onClose?.();
      return;
    }
    if (outcome !== "saved" && outcome !== "theirs") return;
    const fresh = await reread();
    setStart({ values: fresh.data, version: fresh.version });
    setValues(fresh.data);
  }

  return (
    <Form
      request={plan(values)}
      place={place?.(values)}
      shown={onlyFor(plan(values), start.version)}
      action={action(values)}
      busy={saving.busy}
      error={saving.error}
      because={isChanged ? objection?.(values, start.values) : "Nothing is changed yet."}
      onSubmit={() => void save()}
      onCancel={onClose}
      isChanged={isChanged}
    >
      {children(values, (changed) => setValues((before) => ({ ...before, ...changed })), answer, saving.error)}
      {isOutdated && isChanged && (
        <Alert color="stone" variant="outline" role="status">
          Somebody changed this meanwhile. When you save, you see both.
        </Alert>
      )}
    </Form>
  );
}
