import { useState, type ReactNode } from "react";
import type { Place } from "../../api/permissions";
import type { Planned } from "../../api/request";
import { useAct, type Acting } from "../act";
import { same } from "../conflict/merge";
import { Form, FormDrawer } from "./FormDrawer";

export interface NewProps<T, A> {
  title: string;
  initial: T;
  plan: (values: T) => Planned<A>;
  action: (values: T) => string;
  done: (values: T) => string;
  /** Takes it back. */
  undo?: Planned;
  /** Where its permission counts. */
  place?: (values: T) => Place;
  /** Why it cannot be made so. */
  objection?: (values: T) => string | undefined;
  onMade?: (answer: A) => void;
  onClose: () => void;
  size?: string;
  children: (values: T, change: (changed: Partial<T>) => void, acting: Acting) => ReactNode;
}

/** Makes something that was not there. */
export function NewDrawer<T, A>(props: NewProps<T, A>) {
  const { title, initial, plan, place, action, done, undo, objection, onMade, onClose, size, children } = props;
  const [values, setValues] = useState(initial);
  const acting = useAct({ inline: true });
  const planned = plan(values);

  async function make() {
    const made = await acting.act({ request: planned, done: done(values), undo });
    if (!made) return;
    if (onMade) onMade(made.data);
    else onClose();
  }

  return (
    <FormDrawer title={title} onClose={onClose} size={size}>
      <Form
        request={planned}
        place={place?.(values)}
        action={action(values)}
        busy={acting.busy}
        error={acting.error}
        because={objection?.(values)}
        onSubmit={() => void make()}
        onCancel={onClose}
        isChanged={values !== initial && !same(values, initial)}
      >
        {children(values, (changed) => setValues((before) => ({ ...before, ...changed })), acting)}
      </Form>
    </FormDrawer>
  );
}
