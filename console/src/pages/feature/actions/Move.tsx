import { Select } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { closedTo } from "../../../api/guards";
import { useGuards, useProjects, useWhyNot } from "../../../api/queries";
import { onlyFor } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import type { Shown } from "../shown";
import { featureRequest } from "../request";
import { moving } from "./plans";

interface Props extends Shown {
  onClose: () => void;
}

/** Gives a flag to another project. */
export default function Move({ feature, version, onClose }: Props) {
  const navigate = useNavigate();
  const whyNot = useWhyNot();
  const [project, setProject] = useState<string | null>(null);
  const guards = useGuards(project ?? undefined);
  const { act, withOwnChanges, busy, error } = useAct({ inline: true });
  const planned = moving(feature.project, feature.name, project ?? "");
  const others = useProjects().filter(({ id }) => id !== feature.project);

  async function move(seen: string | undefined) {
    if (!project) return;
    const done = await act({
      request: onlyFor(planned, seen),
      done: `${feature.name} belongs to ${project}.`,
      undo: moving(project, feature.name, feature.project),
    });
    if (!done) return;
    onClose();
    void navigate({
      to: "/projects/$projectId/features/$featureName",
      params: { projectId: project, featureName: feature.name },
    });
  }

  return (
    <FormDrawer title={`Move ${feature.name} to another project`} onClose={onClose}>
      <Form
        request={planned}
        shown={onlyFor(planned, version)}
        action={project ? `Move to ${project}` : "Move"}
        busy={busy}
        error={error}
        because={project ? (whyNot(planned, { project }) ?? closedTo(project, guards)) : "Choose a project."}
        onSubmit={() =>
          void withOwnChanges(featureRequest(feature.project, feature.name), (read) => move(read.version))
        }
        onCancel={onClose}
        isChanged={project !== null}
      >
        <p>
          The flag moves with its strategies, tags and events. Both projects need the same environments; segments,
          context fields and dependencies of {feature.project} cannot come along. Applications whose token is for{" "}
          {feature.project} alone no longer know the flag.
        </p>
        <Select
          data-autofocus
          label="Project"
          searchable
          limit={50}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={project}
          onChange={setProject}
        />
      </Form>
    </FormDrawer>
  );
}
