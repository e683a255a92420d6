import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { Band } from "../band/Band";

/** The server was upgraded while this tab was open, so a part of the old console is gone: never reloads by itself. */
export function Upgraded() {
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    const listener = (event: Event) => {
      event.preventDefault();
      setOld(true);
    };
    window.addEventListener("vite:preloadError", listener);
    return () => window.removeEventListener("vite:preloadError", listener);
  }, []);
  if (!isOld) return null;
  return (
    <Band role="alert">
      <Text size="sm">
        The server has a newer console, and this page could not be loaded. What you typed stays until you reload.
      </Text>
      <Button size="compact-sm" onClick={() => location.reload()}>
        Reload
      </Button>
    </Band>
  );
}
