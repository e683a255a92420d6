import { Button, Group, Switch, TextInput, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first, type Search } from "../../api/address";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { useTitle } from "../../parts/title";
import { Unread } from "../../parts/Unread";
import { Answers } from "./Answers";
import { Form } from "./Form";
import { addressOf, bodyOf, differs, questionOf } from "./question";
import { named, pageOf } from "./reasons";
import { Why } from "./Why";
import classes from "./Playground.module.css";
import { number } from "../../words/counts";

/** What features come to for somebody, and why. */
export default function PlaygroundPage() {
  useTitle("Playground");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const question = questionOf(search);
  const projects = useRead(request("get", "/api/admin/projects"), { staleTime: 60_000 }).data?.projects;
  const paged = question.projects.length ? undefined : pageOf(projects ?? [], Number(first(search.page) ?? 0) || 0);
  const asking = request("post", "/api/admin/playground/advanced", {
    body: bodyOf(paged ? { ...question, projects: paged.projects } : question),
  });
  const isAsked = question.environments.length > 0;
  const read = useRead(asking, { enabled: isAsked && projects !== undefined });
  const go = (changed: Search) =>
    void navigate({ to: ".", search: (before: Search) => ({ ...before, ...changed }), replace: true });
  const onlyDifferent = first(search.differ) === "true";
  const features = (isAsked ? read.data?.features : undefined) ?? [];
  const text = first(search.name) ?? "";
  const fitting = named(features, text);
  const shown = onlyDifferent
    ? fitting.filter(({ environments }) => differs(Object.values(environments).flat()))
    : fitting;
  const opened = features.find(
    ({ name, projectId }) =>
      name === first(search.feature) && (!search.featureProject || projectId === first(search.featureProject)),
  );
  return (
    <div className={classes.page}>
      <Title order={1}>Playground</Title>
      <Form
        key={JSON.stringify(question)}
        question={question}
        ask={(asked) => void navigate({ to: ".", search: addressOf(asked) })}
        again={() => void read.refetch()}
        busy={isAsked && read.isFetching}
      />
      {!isAsked ? (
        <div className="card">
          Enter a user and environments to see which flags are on for them, and why. Several values of a field, with
          commas between them, are compared. Nothing is changed, and it does not count as usage.
        </div>
      ) : !read.data ? (
        <Unread read={read} rows={10} />
      ) : (
        <div className={classes.answers}>
          <Group gap="md" align="end">
            <TextInput
              label="Name contains"
              type="search"
              size="xs"
              spellCheck={false}
              value={text}
              onChange={(event) => go({ name: event.currentTarget.value || undefined })}
            />
            <Switch
              label="Only flags with different answers"
              checked={onlyDifferent}
              onChange={(event) => go({ differ: event.currentTarget.checked ? "true" : undefined })}
            />
            <span role="status" className="muted figures">
              {number(shown.length)} of {number(features.length)} flags
            </span>
          </Group>
          {shown.length === 0 ? (
            <div className="card">
              {features.length === 0
                ? "These projects have no flag there."
                : fitting.length === 0
                  ? `No flag has a name with “${text}”.`
                  : "It makes no difference for any of these flags."}
            </div>
          ) : (
            <Answers
              features={shown}
              question={question}
              dimmed={read.isPlaceholderData}
              open={({ name, projectId }) => go({ feature: name, featureProject: projectId })}
            />
          )}
          {paged && (
            <Group gap="sm">
              <Button
                variant="default"
                size="compact-sm"
                disabled={paged.at === 0}
                onClick={() => go({ page: paged.at > 1 ? String(paged.at - 1) : undefined })}
              >
                Previous projects
              </Button>
              <Button
                variant="default"
                size="compact-sm"
                disabled={paged.at === paged.pages - 1}
                onClick={() => go({ page: String(paged.at + 1) })}
              >
                Next projects
              </Button>
              <span className="muted breaks">
                Page {paged.at + 1} of {paged.pages}: projects <bdi>{paged.projects[0]}</bdi> to{" "}
                <bdi>{paged.projects.at(-1)}</bdi>
              </span>
            </Group>
          )}
          <RequestPreview requests={[asking]} />
        </div>
      )}
      {opened && (
        <Why
          feature={opened}
          question={question}
          onClose={() => go({ feature: undefined, featureProject: undefined })}
        />
      )}
    </div>
  );
}
