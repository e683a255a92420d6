import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { isSameThing, nameOfPage, remember } from "./recent";

/** As long as a page may take until it has a heading that the focus goes to. */
const patience = 5_000;
const step = 50;

const heading = () => document.querySelector<HTMLElement>("main h1");

/** Whether the person does something in the page already, or a dialog lies over it. */
const isBusy = () =>
  document.querySelector("[role=dialog]") !== null ||
  document.activeElement?.matches("main input, main textarea, main [role=textbox]");

function focus(found: HTMLElement) {
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
}

interface Left {
  heading: HTMLElement | null;
  words: string | undefined;
}

/** What a change of page does for those who do not see it: the focus goes to its heading, and its name is said. */
export function Arrival({ person }: { person: number | undefined }) {
  const router = useRouter();
  const [said, setSaid] = useState("");

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left: Left | undefined;

    function arrive(before: Left, until: number) {
      const found = heading();
      const isNew = found && (found !== before.heading || found.textContent !== before.words);
      if (!isNew && performance.now() < until) {
        timer = setTimeout(() => arrive(before, until), step);
        return;
      }
      setSaid(nameOfPage(document.title));
      if (isNew && !isBusy()) focus(found);
    }

    function changeTab() {
      const found = heading();
      setSaid(nameOfPage(document.title));
      if (found && document.activeElement === document.body) focus(found);
    }

    const stops = [
      router.subscribe("onBeforeNavigate", ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        const found = heading();
        left = { heading: found, words: found?.textContent ?? undefined };
        const name = nameOfPage(document.title);
        if (person !== undefined && name) remember(person, { to: fromLocation.pathname, name });
      }),
      router.subscribe("onResolved", ({ fromLocation, toLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged || !left) return;
        clearTimeout(timer);
        // The tabs of one thing are parts of its page: the focus stays on them, where they stay.
        if (isSameThing(fromLocation.pathname, toLocation.pathname)) timer = setTimeout(changeTab, step);
        else arrive(left, performance.now() + patience);
      }),
    ];
    return () => {
      clearTimeout(timer);
      stops.forEach((stop) => stop());
    };
  }, [router, person]);

  return (
    <div className="visually-hidden" aria-live="polite">
      {said}
    </div>
  );
}
