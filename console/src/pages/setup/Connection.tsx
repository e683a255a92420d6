import { Group, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { Program } from "./Program";
import { sdkOptions, sdks } from "./sdks/sdks";
import { Token } from "./Token";
import type { Held } from "./tokens";
import { Watch } from "./Watch";
import classes from "./Setup.module.css";

interface Props {
  project: string;
  environment: string;
  feature: string;
  sdk: string;
  appName: string;
  /** Counts on from the headings before it. */
  from: number;
}

/** From a flag to an application that asks for it: the token, the code, and the answer. */
export function Connection({ project, environment, feature, sdk: key, appName, from }: Props) {
  const sdk = sdks[key]!;
  const [held, hold] = useState<Held>();
  const token = held?.type === sdk.token ? held : undefined;
  return (
    <>
      <section className="card" aria-label="Token">
        <h2>{from}. A token lets it in</h2>
        <Token
          key={sdk.token}
          project={project}
          environment={environment}
          type={sdk.token}
          appName={appName}
          held={token}
          hold={hold}
        />
      </section>
      <section className="card" aria-label="Application">
        <h2>{from + 1}. The application asks</h2>
        <Program sdk={sdk} feature={feature} appName={appName} secret={token?.secret} />
      </section>
      <section className="card" aria-label="Answer">
        <h2>{from + 2}. And is answered</h2>
        <Watch project={project} environment={environment} feature={feature} token={token?.name} />
      </section>
    </>
  );
}

export const usualSdk = "node";
export const sdkOf = (name: string | undefined) => (name && Object.hasOwn(sdks, name) ? name : usualSdk);

interface FieldsProps {
  sdk: string;
  appName: string;
  change: (changed: { language?: string; application?: string }) => void;
}

/** Which application it is, and what it is written with. */
export function ConnectionFields({ sdk, appName, change }: FieldsProps) {
  return (
    <Group gap="md" align="start" className={classes.fields}>
      <TextInput
        label="Name of the application"
        description="What it is called in the usage."
        required
        maxLength={200}
        value={appName}
        onChange={(event) => change({ application: event.currentTarget.value })}
      />
      <Select
        label="SDK"
        description="Type to search."
        searchable
        allowDeselect={false}
        data={sdkOptions}
        value={sdk}
        onChange={(name) => name && change({ language: name })}
      />
    </Group>
  );
}
