import { Select } from "@mantine/core";
import { NewDrawer } from "../../parts/forms/NewDrawer";
import { Fields } from "./Fields";
import { nothing, objection, planNew, type Integration, type Provider } from "./integrations";
import { AtField } from "../../parts/forms/AtField";

interface Props {
  providers: readonly Provider[];
  onMade: (integration: Integration) => void;
  onClose: () => void;
}

/** Makes an integration: first its kind, then what that has to know. */
export function NewIntegration({ providers, onMade, onClose }: Props) {
  const kindOf = (name: string) => providers.find((provider) => provider.name === name);
  return (
    <NewDrawer
      title="New integration"
      size="lg"
      initial={nothing}
      plan={(draft) => planNew(draft, kindOf(draft.provider))}
      action={() => "Create"}
      done={() => "The integration was created. It is told of what happens from now on."}
      objection={(draft) => objection(draft, kindOf(draft.provider))}
      onMade={onMade}
      onClose={onClose}
    >
      {(draft, change, { error }) => {
        const provider = kindOf(draft.provider);
        return (
          <>
            <AtField of="provider">
              <Select
                data-autofocus
                label="Type"
                description="System that gets the events. It cannot be changed later."
                required
                allowDeselect={false}
                data={[...providers]
                  .sort((one, other) => Number(Boolean(one.deprecated)) - Number(Boolean(other.deprecated)))
                  .map(({ name, displayName }) => ({ value: name, label: displayName }))}
                value={draft.provider || null}
                onChange={(name) => name && change({ provider: kindOf(name)?.name ?? "", parameters: {} })}
              />
            </AtField>
            {provider && <Fields provider={provider} draft={draft} error={error} change={change} />}
          </>
        );
      }}
    </NewDrawer>
  );
}
