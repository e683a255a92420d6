import { Stack, Text, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { Problem } from "../../../parts/Problem";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";
import { counted } from "../../../words/counts";

/** Archives a project that has no features left. */
export function ArchiveProject({ projectId, project }: OfProject) {
  const navigate = useNavigate();
  const { act, busy, error } = useAct({ inline: true });
  const params = { path: { projectId } };
  const archive = request("post", "/api/admin/projects/archive/{projectId}", { params });
  const features = project.featureTypeCounts.reduce((sum, { count }) => sum + count, 0);

  async function run() {
    const isSure = await confirm({
      title: `Archive ${projectId}`,
      action: "Archive it",
      danger: true,
      requests: [archive],
      consequence: (
        <>
          <bdi>{project.name}</bdi> leaves all lists but that of archived projects, and nothing in it can be read or
          changed until it is revived.
        </>
      ),
    });
    if (!isSure) return;
    const done = await act({
      request: archive,
      done: `${project.name} is archived.`,
      undo: request("post", "/api/admin/projects/revive/{projectId}", { params }),
    });
    if (done) void navigate({ to: "/projects" });
  }

  return (
    <section className={`card ${classes.narrow}`} aria-label="Archive">
      <Stack gap="md" align="start">
        <Title order={2}>Archive</Title>
        <Text size="sm">Once it has no flags any more. It can be revived.</Text>
        <Problem error={error} />
        <ActionButton
          request={archive}
          color="red"
          variant="outline"
          loading={busy}
          because={
            projectId === "default"
              ? "The project default always stays."
              : features
                ? `It has ${counted(features, "flag")}: archive them first.`
                : undefined
          }
          onClick={() => void run()}
        >
          Archive …
        </ActionButton>
      </Stack>
    </section>
  );
}
