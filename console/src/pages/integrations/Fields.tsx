import { Alert, Anchor, MultiSelect, Switch, Text, TextInput } from "@mantine/core";
import { useEnvironments, useMe, useProjects } from "../../api/queries";
import { environmentOption } from "../../parts/EnvironmentName";
import { complaints } from "../../parts/forms/complaints";
import { EventsField } from "./EventsField";
import { withParameter, type Draft, type Provider } from "./integrations";
import { ParameterInput } from "./ParameterInput";

interface Props {
  provider: Provider;
  draft: Draft;
  error: unknown;
  change: (changed: Partial<Draft>) => void;
}

/** Everything about an integration but its kind. */
export function Fields({ provider, draft, error, change }: Props) {
  const projects = useProjects();
  const environments = useEnvironments();
  const isAdministrator = (useMe()?.permissions ?? []).some(({ permission }) => permission === "ADMIN");
  const about = complaints(error);
  const unknown = draft.projects.filter((id) => !projects.some((project) => project.id === id));
  return (
    <>
      <About provider={provider} />
      <TextInput
        label="Description"
        description="What it is for, as the list shows it."
        maxLength={1000}
        autoComplete="off"
        error={about.description}
        value={draft.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <Switch
        label="Enabled"
        description="While it is off, nothing is sent. Events of that time are not sent later either."
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      {provider.parameters.map((parameter) => (
        <ParameterInput
          key={`${provider.name} ${parameter.name}`}
          parameter={parameter}
          value={draft.parameters[parameter.name] ?? ""}
          error={about[parameter.name]}
          onChange={(value) => change({ parameters: withParameter(draft.parameters, parameter.name, value) })}
        />
      ))}
      <EventsField provider={provider} draft={draft} error={about.events} change={change} />
      <MultiSelect
        label="Projects"
        description={
          isAdministrator
            ? "None chosen: all of them, and what belongs to no project."
            : "At least one: only an administrator creates an integration for all of them."
        }
        searchable
        limit={50}
        error={about.projects}
        data={[
          ...projects.map(({ id, name }) => ({ value: id, label: name })),
          ...unknown.map((id) => ({ value: id, label: id })),
        ]}
        value={draft.projects}
        onChange={(chosen) => change({ projects: chosen })}
      />
      <MultiSelect
        label="Environments"
        description="None chosen: all of them. Events without an environment are sent in any case."
        searchable
        limit={50}
        error={about.environments}
        data={[
          ...environments.map(environmentOption),
          ...draft.environments
            .filter((name) => !environments.some((environment) => environment.name === name))
            .map((name) => ({ value: name, label: name })),
        ]}
        value={draft.environments}
        onChange={(chosen) => change({ environments: chosen })}
      />
    </>
  );
}

function About({
  provider: { description, howTo, deprecated, alerts, installation, documentationUrl },
}: Pick<Props, "provider">) {
  return (
    <>
      <Text size="sm">
        {description} {howTo}{" "}
        <Anchor size="sm" underline="always" href={documentationUrl} target="_blank" rel="noreferrer">
          Read more
        </Anchor>
      </Text>
      {deprecated && (
        <Alert color="yellow" variant="outline" className="problem" title="Better choose another type">
          {deprecated}
        </Alert>
      )}
      {alerts.map(({ type, text }) => (
        <Alert key={text} color={type === "info" ? "stone" : "yellow"} variant="outline" className="problem">
          {text}
        </Alert>
      ))}
      {installation && (
        <Text size="sm">
          <Anchor size="sm" underline="always" href={installation.url} target="_blank" rel="noreferrer">
            {installation.title}
          </Anchor>
          {": "}
          {installation.helpText}
        </Text>
      )}
    </>
  );
}
