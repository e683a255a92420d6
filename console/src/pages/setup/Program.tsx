import { Button, Code, CopyButton } from "@mantine/core";
import { root } from "../../api/client";
import { quoted, variable, type Language } from "./snippets";
import classes from "./Setup.module.css";

interface Props {
  language: Language;
  feature: string;
  secret: string | undefined;
}

/** What to install, the program, and how to run it. */
export function Program({ language, feature, secret }: Props) {
  const code = language.code({ url: root, feature, program: "first-program", token: secret ?? "…" });
  const token = `export ${variable}=${secret ? quoted(secret) : "'…'"}`;
  return (
    <>
      {language.install && <Block label="Install" text={language.install} />}
      <p>
        In <span className="mono">{language.file}</span>:
      </p>
      <Block label="The application" text={code} />
      {language.run && (
        <>
          <p>{secret ? "Run it with the token:" : "Run it, with a token in place of the dots:"}</p>
          <Block label="Run" text={`${token}\n${language.run}`} />
        </>
      )}
    </>
  );
}

function Block({ label, text }: { label: string; text: string }) {
  return (
    <div className={classes.code}>
      <Code block tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" mt={4} onClick={copy} aria-label={`Copy: ${label}`}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
