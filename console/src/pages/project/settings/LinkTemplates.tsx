import { Button, Group, TextInput } from "@mantine/core";
import { templateObjection } from "../../feature/links/links";
import type { OfProject } from "../shown";
import { linksOf, planLinks } from "./plans";
import { SettingsForm } from "./SettingsForm";

type Template = ReturnType<typeof linksOf>["templates"][number];

/** The API takes no more. */
const most = 10;

/** The links that each new flag of the project gets. */
export function LinkTemplates(props: OfProject) {
  const { projectId } = props;
  return (
    <SettingsForm
      {...props}
      title="Links of new flags"
      valuesOf={linksOf}
      plan={(values) => planLinks(projectId, values)}
      objection={({ templates }) => templates.map(({ urlTemplate }) => templateObjection(urlTemplate)).find(Boolean)}
    >
      {({ templates }, change) => {
        const put = (at: number, changed: Partial<Template>) =>
          change({ templates: templates.map((one, index) => (index === at ? { ...one, ...changed } : one)) });
        return (
          <>
            <p className="muted">
              {
                "In an address, {{project}} becomes the id of the project and {{feature}} the name of the flag. Flags that exist keep their links."
              }
            </p>
            {templates.map(({ title, urlTemplate }, at) => (
              <Group key={at} role="group" aria-label={`Link ${at + 1}`} gap="sm" align="end" grow>
                <TextInput
                  label="Title"
                  maxLength={255}
                  value={title}
                  onChange={(event) => put(at, { title: event.currentTarget.value })}
                />
                <TextInput
                  label="Address"
                  required
                  maxLength={2000}
                  spellCheck={false}
                  error={urlTemplate ? templateObjection(urlTemplate) : undefined}
                  value={urlTemplate}
                  onChange={(event) => put(at, { urlTemplate: event.currentTarget.value })}
                />
                <Button
                  variant="default"
                  flex="none"
                  onClick={() => change({ templates: templates.filter((_, index) => index !== at) })}
                >
                  Remove
                </Button>
              </Group>
            ))}
            <div>
              <Button
                variant="default"
                size="compact-sm"
                disabled={templates.length >= most}
                onClick={() => change({ templates: [...templates, { title: "", urlTemplate: "https://" }] })}
              >
                Add link
              </Button>
            </div>
          </>
        );
      }}
    </SettingsForm>
  );
}
