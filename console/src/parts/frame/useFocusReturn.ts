import { useEffect } from "react";

/** What lies over a page, and has the focus while it does. */
const overlays = "[role=dialog], [role=menu], [role=listbox]";

/**
 * Gives the focus back to what opened a dialog when that goes away, and to what opened a menu where its entry is gone: the
 * keyboard goes on from there, and not from the top of the page.
 */
export function useFocusReturn() {
  useEffect(() => {
    // The last element that had the focus in the page and in each overlay, in the order in which they were opened.
    let trail: HTMLElement[] = [];
    const layerOf = (element: Element) => element.closest(overlays);

    function follow({ target }: FocusEvent) {
      if (!(target instanceof HTMLElement) || target === document.body) return;
      const at = trail.findIndex((element) => element.isConnected && layerOf(element) === layerOf(target));
      trail = [...(at < 0 ? trail : trail.slice(0, at)), target];
    }

    function giveBack() {
      const last = trail.at(-1);
      if (!last || last.isConnected || document.activeElement !== document.body) return;
      trail = trail.filter((element) => element.isConnected);
      trail.at(-1)?.focus({ preventScroll: true });
    }

    const observer = new MutationObserver(giveBack);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", follow);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", follow);
    };
  }, []);
}
