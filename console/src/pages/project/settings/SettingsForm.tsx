import type { ReactNode } from "react";
import { send } from "../../../api/client";
import type { Planned } from "../../../api/request";
import type { Plain } from "../../../parts/conflict/merge";
import { SavedForm } from "../../../parts/forms/SavedForm";
import { overviewRequest } from "../../../parts/project/overview";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";

interface Props<T extends Plain> extends OfProject {
  title: string;
  valuesOf: (project: OfProject["project"]) => T;
  plan: (values: T) => Planned;
  objection?: (values: T) => string | undefined;
  children: (values: T, change: (changed: Partial<T>) => void) => ReactNode;
}

/** Some of a project's settings. */
export function SettingsForm<T extends Plain>({ projectId, project, valuesOf, ...form }: Props<T>) {
  return (
    <SavedForm
      {...form}
      className={classes.narrow}
      current={valuesOf(project)}
      reread={async () => {
        const fresh = await send(overviewRequest(projectId));
        return { data: valuesOf(fresh.data), version: fresh.version };
      }}
      events={{ project: `IS:${projectId}` }}
      done={`${form.title}: saved.`}
    />
  );
}
