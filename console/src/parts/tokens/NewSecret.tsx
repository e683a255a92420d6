import { Button, CopyButton, Group } from "@mantine/core";
import classes from "./NewSecret.module.css";

/** A secret that the server tells once: whoever closes this has copied it, or makes another. */
export function NewSecret({ secret, label }: { secret: string; label: string }) {
  return (
    <div>
      <div className={`mono breaks ${classes.secret}`} role="textbox" aria-readonly aria-label={label} tabIndex={0}>
        {secret}
      </div>
      <Group gap="sm" mt={8}>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button size="compact-sm" onClick={copy}>
              {copied ? "Copied" : "Copy it"}
            </Button>
          )}
        </CopyButton>
        <span className="muted">It is shown this once. It is not stored in this browser.</span>
      </Group>
    </div>
  );
}
