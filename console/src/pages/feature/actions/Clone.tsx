import { Checkbox, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { complaints } from "../../../parts/forms/complaints";
import type { Shown } from "../shown";
import { cloning } from "./plans";

interface Props extends Pick<Shown, "feature"> {
  onClose: () => void;
}

/** Makes a flag like this one, under another name. */
export default function Clone({ feature, onClose }: Props) {
  const navigate = useNavigate();
  const initial = { name: `${feature.name}-copy`, isOwnGroup: true };
  return (
    <NewDrawer
      title={`Clone ${feature.name}`}
      initial={initial}
      plan={({ name, isOwnGroup }) => cloning(feature.project, feature.name, name.trim(), isOwnGroup)}
      action={({ name }) => `Create ${name.trim() || "it"}`}
      done={({ name }) => `${name.trim()} was created. It is off everywhere.`}
      objection={({ name }) => (name.trim() ? undefined : "A name is missing.")}
      onMade={({ name }) =>
        void navigate({
          to: "/projects/$projectId/features/$featureName",
          params: { projectId: feature.project, featureName: name },
        })
      }
      onClose={onClose}
    >
      {({ name, isOwnGroup }, change, { error }) => (
        <>
          <p>
            The clone has the description, type, strategies, variants and dependencies of this flag. It has none of its
            tags and links, and is off in every environment.
          </p>
          <TextInput
            data-autofocus
            label="Name"
            required
            maxLength={100}
            spellCheck={false}
            error={complaints(error).name}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Checkbox
            label="Its shares are other users than those of this flag"
            description="Rollouts get a group ID of their own."
            checked={isOwnGroup}
            onChange={(event) => change({ isOwnGroup: event.currentTarget.checked })}
          />
        </>
      )}
    </NewDrawer>
  );
}
