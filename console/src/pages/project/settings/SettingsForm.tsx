import { Alert, Button, Group, Stack, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { send } from "../../../api/client";
import { onlyFor, type Planned } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { same, type Plain } from "../../../parts/conflict/merge";
import { useSave } from "../../../parts/conflict/save";
import { Problem } from "../../../parts/Problem";
import { RequestPreview } from "../../../parts/requests/RequestPreview";
import { overviewRequest, type OfProject } from "../ProjectPage";
import classes from "../Project.module.css";

interface Props<T extends Plain> extends OfProject {
  title: string;
  valuesOf: (project: OfProject["project"]) => T;
  plan: (values: T) => Planned;
  objection?: (values: T) => string | undefined;
  children: (values: T, change: (changed: Partial<T>) => void) => ReactNode;
}

/** Some of a project's settings, saved only over what was seen. */
export function SettingsForm<T extends Plain>(props: Props<T>) {
  const { projectId, project, version, title, valuesOf, plan, objection, children } = props;
  const current = valuesOf(project);
  const [start, setStart] = useState({ values: current, version });
  const [values, setValues] = useState(start.values);
  const saving = useSave();
  const isChanged = !same(values, start.values);
  const isOutdated = !same(current, start.values);
  if (isOutdated && !isChanged) {
    setStart({ values: current, version });
    setValues(current);
  }

  async function reread() {
    const fresh = await send(overviewRequest(projectId));
    return { data: valuesOf(fresh.data), version: fresh.version };
  }

  async function save() {
    if (!isChanged || objection?.(values)) return;
    const outcome = await saving.save({
      base: start.values,
      version: start.version,
      mine: values,
      plan,
      reread,
      events: { project: `IS:${projectId}` },
      done: `${title}: saved.`,
    });
    if (outcome !== "editing") {
      const fresh = await reread();
      setStart({ values: fresh.data, version: fresh.version });
      setValues(fresh.data);
    }
  }

  return (
    <form
      className={`card ${classes.narrow}`}
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="md">
        <Title order={2}>{title}</Title>
        {children(values, (changed) => setValues({ ...values, ...changed }))}
        {isOutdated && isChanged && (
          <Alert color="stone" variant="outline" role="status">
            Somebody changed these settings meanwhile. When you save, you see both.
          </Alert>
        )}
        <Problem error={saving.error} />
        <RequestPreview requests={[onlyFor(plan(values), start.version)]} />
        <Group gap="sm">
          <ActionButton
            type="submit"
            request={plan(values)}
            loading={saving.busy}
            because={isChanged ? objection?.(values) : "Nothing is changed yet."}
          >
            Save
          </ActionButton>
          <Button variant="default" disabled={!isChanged} onClick={() => setValues(start.values)}>
            Start over
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
