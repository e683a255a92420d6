import { Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { NewSecret } from "../../parts/tokens/NewSecret";

export interface Made {
  name: string;
  type: "client" | "frontend";
  secret: string;
}

interface Props {
  project: string;
  environment: string;
  type: Made["type"];
  made: Made | undefined;
  setMade: (made: Made) => void;
}

/** Makes the token of the program. Its secret is in this page alone, until it is left. */
export function Token({ project, environment, type, made, setMade }: Props) {
  const [tokenName, setName] = useState(`${project}-first-application`);
  const { act, busy, error } = useAct({ inline: true });
  const planned = request("post", "/api/admin/projects/{projectId}/api-tokens", {
    params: { path: { projectId: project } },
    body: { tokenName, type, environment, projects: [project] },
  });

  async function create() {
    const done = await act({ request: planned });
    if (done) setMade({ name: tokenName, type, secret: done.data.secret });
  }

  if (made) return <NewSecret secret={made.secret} label={`The token ${made.name}`} />;
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
          : "A frontend token: it tells only what is on for one user, so it may be seen."}{" "}
        Whoever has one already goes on without.
      </p>
      <Group gap="sm" align="end">
        <TextInput
          label="Name of the token"
          required
          maxLength={255}
          value={tokenName}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ActionButton type="submit" request={planned} loading={busy}>
          Create a token
        </ActionButton>
      </Group>
      <Problem error={error} />
      <RequestPreview requests={[planned]} />
    </form>
  );
}
