// Those with a list open it with the focus.
const fields =
  "input:not([type=hidden], [disabled], [aria-haspopup]), textarea:not([disabled]), select:not([disabled])";

/** For `ref` of a form: in a dialog its first field has the focus, rather than the button that closes the dialog. */
export function firstField(form: HTMLFormElement | null) {
  const dialog = form?.closest("[role=dialog]");
  if (!form || !dialog || form.querySelector("[data-autofocus]")) return;
  const first = form.querySelector<HTMLElement>(fields);
  if (!first) return;
  // A dialog that opens looks for this; in one that waited for its form, the focus is on the button, and not in another form.
  first.setAttribute("data-autofocus", "true");
  if (dialog.contains(document.activeElement) && !document.activeElement?.closest("form")) first.focus();
}
