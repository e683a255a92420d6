import { Switch, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first, type Search } from "../../api/address";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { Answers } from "./Answers";
import { Form } from "./Form";
import { addressOf, bodyOf, differs, questionOf } from "./question";
import { Why } from "./Why";
import classes from "./Playground.module.css";

/** What features come to for somebody, and why. */
export default function PlaygroundPage() {
  useTitle("Playground");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const question = questionOf(search);
  const asking = request("post", "/api/admin/playground/advanced", { body: bodyOf(question) });
  const isAsked = question.environments.length > 0;
  const read = useRead(asking, { enabled: isAsked });
  const go = (changed: Search) =>
    void navigate({ to: ".", search: (before: Search) => ({ ...before, ...changed }), replace: true });
  const onlyDifferent = first(search.differ) === "true";
  const features = (isAsked ? read.data?.features : undefined) ?? [];
  const shown = onlyDifferent
    ? features.filter(({ environments }) => differs(Object.values(environments).flat()))
    : features;
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
          Say who asks, and in which environments: the answers tell what each flag comes to, and why. Several values of
          a field, with commas, stand side by side. Nothing is changed, and it counts as no usage.
        </div>
      ) : read.error && !read.data ? (
        <Problem error={read.error} again={() => void read.refetch()} />
      ) : !read.data ? (
        <Waiting rows={10} />
      ) : (
        <div className={classes.answers}>
          <Switch
            label="Only flags for which it makes a difference who asks, or where"
            checked={onlyDifferent}
            onChange={(event) => go({ differ: event.currentTarget.checked ? "true" : undefined })}
          />
          {shown.length === 0 ? (
            <div className="card">
              {features.length ? "It makes no difference for any flag." : "These projects have no flag there."}
            </div>
          ) : (
            <Answers
              features={shown}
              question={question}
              dimmed={read.isPlaceholderData}
              open={({ name, projectId }) => go({ feature: name, featureProject: projectId })}
            />
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
