import { confirm } from "../confirm";

/** Closes a form; where something would be lost by it, asks first. */
export async function leave(isChanged: boolean, onClose: () => void) {
  const isMeant =
    !isChanged ||
    (await confirm({
      title: "Discard the changes?",
      action: "Discard",
      danger: true,
      requests: [],
      consequence: "What you entered in this form is not saved. Cancel leads back to it.",
    }));
  if (isMeant) onClose();
}
