import { Button, Code, CopyButton } from "@mantine/core";
import { root } from "../../api/client";
import { quoted, variable, type Sdk } from "./sdks/sdk";
import classes from "./Setup.module.css";

interface Props {
  sdk: Sdk;
  feature: string;
  appName: string;
  secret: string | undefined;
}

/** What to install, the code, and how to run it. */
export function Program({ sdk, feature, appName, secret }: Props) {
  const code = sdk.code({ url: root, feature, appName, token: secret ?? "…" });
  const token = `export ${variable}=${secret ? quoted(secret) : "'…'"}`;
  return (
    <>
      {sdk.into && (
        <p>
          In <span className="mono">{sdk.into}</span>:
        </p>
      )}
      <Block label="Install" text={sdk.install} />
      <p>
        In <span className="mono">{sdk.file}</span>:
      </p>
      <Block label="The application" text={code} />
      {!secret && <p>Put the token in place of the dots.</p>}
      {sdk.run && (
        <>
          <p>Run it with the token:</p>
          <Block label="Run" text={`${token}\n${sdk.run}`} />
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
