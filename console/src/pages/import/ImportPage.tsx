import { Button, FileButton, Group, Select, Stack, Title } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { first } from "../../api/address";
import { useEnvironments } from "../../api/queries";
import { environmentOption } from "../../parts/EnvironmentName";
import { ProjectField } from "../../parts/project/ProjectField";
import { useTitle } from "../../parts/title";
import { inWords, read, type Data } from "./file";
import { Trial } from "./Trial";
import classes from "./Import.module.css";

interface Held {
  name: string;
  data?: Data;
  objection?: string;
}

/** Takes features from a file: checked and previewed by the server first, all of it or nothing. */
export default function ImportPage() {
  useTitle("Import");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const environments = useEnvironments().filter(({ enabled }) => enabled);
  const [held, setHeld] = useState<Held>();
  const [isOver, setOver] = useState(false);
  const project = first(search.project) ?? null;
  const environment = first(search.environment) ?? null;
  const go = (changed: Record<string, string | undefined>) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
    });
  async function take(file: File | null | undefined) {
    if (file) setHeld({ name: file.name, ...read(await file.text()) });
  }

  return (
    <div className={classes.page}>
      <Title order={1}>Import</Title>
      <p>
        Takes flags with their strategies and tags from a file into one environment of a project. Flags that exist there
        are overwritten, other environments stay as they are. <Link to="/export">Export</Link> makes such a file.
      </p>
      <section
        className={classes.drop}
        data-over={isOver || undefined}
        aria-label="File"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer.files[0]);
        }}
      >
        {held ? (
          <span className="breaks" role="status">
            <strong>
              <bdi>{held.name}</bdi>
            </strong>
            {held.data ? ` holds ${inWords(held.data) || "nothing"}.` : ""}
            {held.objection && <span className="danger"> {held.objection}</span>}
          </span>
        ) : (
          <span>Drop an export here, or</span>
        )}
        <FileButton accept="application/json,.json" onChange={(file) => void take(file)}>
          {(props) => (
            <Button variant="default" {...props}>
              {held ? "Choose another file" : "Choose a file"}
            </Button>
          )}
        </FileButton>
      </section>
      <Group gap="md" align="start">
        <ProjectField label="Into the project" project={project ?? ""} onChange={(chosen) => go({ project: chosen })} />
        <Select
          label="And its environment"
          allowDeselect={false}
          data={environments.map(environmentOption)}
          value={environment}
          onChange={(chosen) => go({ environment: chosen ?? undefined })}
        />
      </Group>
      {held?.data && project && environment ? (
        <Trial
          key={`${held.name} ${project} ${environment}`}
          body={{ project, environment, data: held.data }}
          type={environments.find(({ name }) => name === environment)?.type}
        />
      ) : (
        <Stack className="muted">
          {held?.data ? "Choose where it goes: the server then says what would happen." : ""}
        </Stack>
      )}
    </div>
  );
}
