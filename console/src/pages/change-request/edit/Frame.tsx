import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import type { Change as Requested } from "../../../api/proposals";
import { ofPart } from "../../../api/refusal";
import { useAct } from "../../../parts/act";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { editing, type Edited } from "./editing";

interface Props extends Edited {
  title: string;
  /** The change as it is to be. */
  wanted: Requested;
  isChanged: boolean;
  objection?: string;
  /** What else is asked before it is saved; it throws what is wrong. */
  check?: () => Promise<void>;
  size?: string;
  children: ReactNode;
}

/** What all forms of changes have around their fields. */
export function Frame(props: Props) {
  const {
    request,
    version,
    change,
    title,
    wanted,
    isChanged,
    objection,
    check,
    size = "lg",
    children,
    onClose,
  } = props;
  const { act, busy, error, setError } = useAct({ inline: true });
  const planned = editing(request, change.id, wanted, version);

  async function save() {
    if (!isChanged || objection) return;
    try {
      await check?.();
    } catch (refusal) {
      setError(refusal);
      return;
    }
    if (await act({ request: planned, done: "The change is edited." })) onClose();
  }

  return (
    <FormDrawer title={title} size={size} onClose={onClose}>
      <Form
        request={planned}
        action="Save"
        busy={busy}
        error={ofPart(error, "payload")}
        because={isChanged ? objection : "Nothing is changed yet."}
        onSubmit={() => void save()}
        onCancel={onClose}
        isChanged={isChanged}
      >
        {request.approvals.length > 0 && (
          <Alert color="stone" variant="outline" role="status">
            Once it is saved, the approvals that it has are dropped, and it is reviewed anew.
          </Alert>
        )}
        {children}
      </Form>
    </FormDrawer>
  );
}
