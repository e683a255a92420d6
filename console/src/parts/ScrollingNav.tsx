import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import classes from "./ScrollingNav.module.css";

/** Scrolls to the link of the present page. The page around stays where it is. */
function showPresent(links: HTMLElement) {
  const present = links.querySelector("[aria-current]")?.getBoundingClientRect();
  if (!present) return;
  const { left, top, width, height } = links.getBoundingClientRect();
  links.scrollBy({
    left: present.left + present.width / 2 - left - width / 2,
    top: present.top + present.height / 2 - top - height / 2,
  });
}

/** Links beside each other, of which the present one is in sight even where not all fit: tabs, unless a class says otherwise. */
export function ScrollingNav({
  label,
  className = classes.tabs,
  id,
  children,
}: {
  label: string;
  className?: string;
  id?: string;
  children: ReactNode;
}) {
  const bar = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const links = bar.current;
    if (!links) return;
    showPresent(links);
    const resized = new ResizeObserver(() => showPresent(links));
    resized.observe(links);
    return () => resized.disconnect();
  }, [pathname]);
  return (
    <nav
      ref={bar}
      id={id}
      className={className}
      aria-label={label}
      onFocus={({ target }) => target.scrollIntoView({ block: "nearest", inline: "nearest" })}
    >
      {children}
    </nav>
  );
}
