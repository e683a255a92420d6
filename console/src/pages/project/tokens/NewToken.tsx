import { Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { request } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { NewSecret } from "../../../parts/tokens/NewSecret";
import { kinds } from "../../tokens/tokens";

interface Props {
  projectId: string;
  environments: string[];
  onClose: () => void;
}

interface Wanted {
  tokenName: string;
  type: "client" | "frontend";
  environment?: string;
  expiresAt?: string;
}

export const creating = (projectId: string, wanted: Wanted = { tokenName: "…", type: "client" }) =>
  request("post", "/api/admin/projects/{projectId}/api-tokens", {
    params: { path: { projectId } },
    body: { ...wanted, projects: [projectId] },
  });

/** Makes a token for a project; its secret is shown once. */
export function NewToken({ projectId, environments, onClose }: Props) {
  const [tokenName, setName] = useState("");
  const [type, setType] = useState<Wanted["type"]>("client");
  const [environment, setEnvironment] = useState(environments[0] ?? null);
  const [ends, setEnds] = useState("");
  const [secret, setSecret] = useState<string>();
  const { act, busy, error } = useAct({ inline: true });
  const planned = creating(projectId, {
    tokenName,
    type,
    environment: environment ?? undefined,
    expiresAt: ends ? `${ends}T00:00:00.000Z` : undefined,
  });

  async function create() {
    const made = await act({ request: planned });
    if (made) setSecret(made.data.secret);
  }

  return (
    <FormDrawer title={`New token for ${projectId}`} onClose={onClose}>
      {secret !== undefined ? (
        <Stack gap="md">
          <p className="breaks">
            <bdi>{tokenName}</bdi> is created. Put it where the application finds it, not into its source.
          </p>
          <NewSecret secret={secret} label="The new token" />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <Form
          request={planned}
          action="Create"
          busy={busy}
          error={error}
          because={environments.length ? undefined : "The project has no environment yet."}
          onSubmit={() => void create()}
          onCancel={onClose}
          isChanged={type !== "client" || [tokenName, ends].some(Boolean)}
        >
          <TextInput
            data-autofocus
            label="Name"
            description="Which application it is for."
            required
            maxLength={255}
            value={tokenName}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label="Type"
            description={kinds[type].about}
            allowDeselect={false}
            data={(["client", "frontend"] as const).map((value) => ({ value, label: kinds[value].label }))}
            value={type}
            onChange={(chosen) => chosen && setType(chosen)}
          />
          <Select
            label="Environment"
            required
            allowDeselect={false}
            data={environments}
            value={environment}
            onChange={setEnvironment}
          />
          <TextInput
            type="date"
            label="Expires"
            description="At the beginning of this day, in UTC. Left empty, it does not expire."
            value={ends}
            onChange={(event) => setEnds(event.currentTarget.value)}
          />
        </Form>
      )}
    </FormDrawer>
  );
}
