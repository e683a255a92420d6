import { MultiSelect, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useEnvironments, useMe, useProjects } from "../../api/queries";
import { environmentOption } from "../../parts/EnvironmentName";
import { Expiry } from "../../parts/forms/Expiry";
import { NewDrawer } from "../../parts/forms/NewDrawer";
import { kinds, planNew, type Draft, type Kind, type Token } from "./tokens";
import { AtField } from "../../parts/forms/AtField";

const nothing: Draft = { tokenName: "", type: "client", environment: "", projects: [], expiresAt: null };

/** Makes a token. Its secret is in the answer, and nowhere else ever. */
export function NewToken({ onMade, onClose }: { onMade: (token: Token) => void; onClose: () => void }) {
  const environments = useEnvironments();
  const projects = useProjects();
  const isAdministrator = (useMe()?.permissions ?? []).some(({ permission }) => permission === "ADMIN");
  return (
    <NewDrawer
      title="New token"
      initial={nothing}
      plan={planNew}
      action={({ tokenName }) => `Create ${tokenName.trim() || "it"}`}
      done={({ tokenName }) => `The token ${tokenName.trim()} was created.`}
      objection={({ tokenName, type, environment }) =>
        tokenName.trim() === ""
          ? "A name is missing."
          : type !== "admin" && environment === ""
            ? "An environment is missing."
            : undefined
      }
      onMade={onMade}
      onClose={onClose}
    >
      {({ tokenName, type, environment, projects: chosen, expiresAt }, change) => (
        <>
          <AtField of="tokenName">
            <TextInput
              data-autofocus
              label="Name"
              description="Which application it is for."
              required
              maxLength={255}
              autoComplete="off"
              value={tokenName}
              onChange={(event) => change({ tokenName: event.currentTarget.value })}
            />
          </AtField>
          <Radio.Group label="Type" value={type} onChange={(value) => change({ type: value })}>
            <Stack gap="sm" mt={4}>
              {(Object.keys(kinds) as Kind[]).map((kind) => (
                <Radio key={kind} value={kind} label={kinds[kind].label} description={kinds[kind].about} />
              ))}
            </Stack>
          </Radio.Group>
          {type !== "admin" && (
            <>
              <AtField of="environment">
                <Select
                  label="Environment"
                  description="The application gets the flags of this environment."
                  required
                  searchable
                  limit={50}
                  data={environments.map(environmentOption)}
                  value={environment || null}
                  onChange={(value) => change({ environment: value ?? "" })}
                />
              </AtField>
              <AtField of="projects">
                <MultiSelect
                  label="Projects"
                  description={
                    isAdministrator
                      ? "None chosen: all of them, also those that come later."
                      : "At least one: only an administrator creates a token for all of them."
                  }
                  searchable
                  limit={50}
                  data={projects.map(({ id, name }) => ({ value: id, label: name }))}
                  value={chosen}
                  onChange={(value) => change({ projects: value })}
                />
              </AtField>
            </>
          )}
          <Expiry
            label="Expires"
            days={[7, 30, 90, 365]}
            orNever
            value={expiresAt}
            onChange={(value) => change({ expiresAt: value })}
          />
        </>
      )}
    </NewDrawer>
  );
}
