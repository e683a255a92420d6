import { confirm } from "../confirm";

/** The key that closes the question reaches the form below it, too. */
let isAsking = false;

/** Closes a form; where something would be lost by it, asks first. */
export async function leave(isChanged: boolean, onClose: () => void) {
  if (isAsking) return;
  if (!isChanged) {
    onClose();
    return;
  }
  isAsking = true;
  const meant = await confirm({
    title: "Discard your changes?",
    action: "Discard",
    keep: "Keep editing",
    danger: true,
    requests: [],
    consequence: "What you entered in this form is not saved.",
  });
  isAsking = false;
  if (meant) onClose();
}
