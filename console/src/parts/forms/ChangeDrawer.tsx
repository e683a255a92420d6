import { same } from "../conflict/merge";
import { NewDrawer, type NewProps } from "./NewDrawer";

interface Props<T, A> extends Omit<NewProps<T, A>, "initial" | "action" | "undo"> {
  stored: T;
}

/** Changes something of which the server keeps no version: what is saved last holds. */
export function ChangeDrawer<T, A>({ stored, objection, ...props }: Props<T, A>) {
  return (
    <NewDrawer
      {...props}
      initial={stored}
      action={() => "Save"}
      undo={props.plan(stored)}
      objection={(values) => (same(values, stored) ? "Nothing is changed yet." : objection?.(values))}
    />
  );
}
