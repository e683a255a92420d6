import { Group, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { NewSecret } from "../../parts/tokens/NewSecret";
import classes from "./Setup.module.css";
import { fitting, type Held } from "./tokens";

interface Props {
  project: string;
  environment: string;
  type: Held["type"];
  appName: string;
  held: Held | undefined;
  hold: (held: Held | undefined) => void;
}

/** Creates the token of the application, or chooses one. Its secret is in this page alone, until it is left. */
export function Token({ project, environment, type, appName, held, hold }: Props) {
  const [typed, setTyped] = useState<string>();
  const tokenName = typed ?? appName;
  const { act, busy, error } = useAct({ inline: true });
  const params = { path: { projectId: project } };
  const there = useRead(request("get", "/api/admin/projects/{projectId}/api-tokens", { params }));
  const names = fitting(there.data?.tokens ?? [], type, environment);
  const planned = request("post", "/api/admin/projects/{projectId}/api-tokens", {
    params,
    body: { tokenName, type, environment, projects: [project] },
  });

  async function create() {
    const done = await act({ request: planned });
    if (done) hold({ name: tokenName, type, secret: done.data.secret });
  }

  if (held?.secret) return <NewSecret secret={held.secret} label={`The token ${held.name}`} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <p>
        {type === "client"
          ? "A client token: it reads all strategies, so it belongs on servers."
          : "A frontend token: it returns only what is on for one user, so it may be seen."}
      </p>
      <Group gap="sm" align="end" className={classes.fields}>
        <TextInput
          label="Name of the token"
          required
          maxLength={255}
          value={tokenName}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ActionButton type="submit" request={planned} loading={busy}>
          Create a token
        </ActionButton>
        {names.length > 0 && (
          <Select
            label="Or use one that exists"
            placeholder="Choose a token"
            searchable
            clearable
            clearButtonProps={{ "aria-label": "Use none of them" }}
            limit={50}
            data={names}
            value={held?.name ?? null}
            onChange={(name) => hold(name ? { name, type } : undefined)}
          />
        )}
      </Group>
      <Problem error={error} />
      <RequestPreview requests={[planned]} />
    </form>
  );
}
