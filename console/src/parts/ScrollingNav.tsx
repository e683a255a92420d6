import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import classes from "./ScrollingNav.module.css";

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
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
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
