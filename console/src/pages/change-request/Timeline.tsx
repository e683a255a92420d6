import { Button, Textarea, Title } from "@mantine/core";
import { useState } from "react";
import { useGuards } from "../../api/queries";
import { useAct } from "../../parts/act";
import { commenting, personOf } from "../../parts/change-requests/requests";
import { Markdown } from "../../parts/markdown/Markdown";
import { Moment, Zone } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import classes from "./ChangeRequest.module.css";
import type { Shown } from "./shown";
import { happenings } from "./happenings";

/** What happened to a change request, and what was said about it, oldest first. */
export function Timeline({ request }: Shown) {
  const guards = useGuards(request.project);
  const isGuarded = guards.find(({ environment }) => environment === request.environment)?.changeRequestEnabled;
  return (
    <section className="card" aria-label="Timeline">
      <Title order={2}>
        Timeline <Zone />
      </Title>
      <ol className={classes.list}>
        {happenings(request).map(({ at, person, said, comment }, index) => (
          <li key={index} className="breaks">
            <div>
              {person && (
                <strong>
                  <bdi>{personOf(person)} </bdi>
                </strong>
              )}
              {said} <span className="muted">·</span> <Moment at={at} absolute />
            </div>
            {comment !== undefined && <Markdown text={comment} />}
          </li>
        ))}
      </ol>
      {isGuarded && <Comment request={request} />}
    </section>
  );
}

function Comment({ request }: Pick<Shown, "request">) {
  const [text, setText] = useState("");
  const { act, busy, error } = useAct({ inline: true });

  async function say() {
    if (text.trim() === "") return;
    if (await act({ request: commenting(request, text.trim()), done: "The comment is added." })) setText("");
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void say();
      }}
    >
      <Textarea
        label="Comment"
        mt="md"
        autosize
        minRows={2}
        maxRows={10}
        maxLength={1000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Problem error={error} />
      <Button type="submit" variant="default" size="compact-sm" mt="sm" loading={busy} disabled={text.trim() === ""}>
        Add comment
      </Button>
    </form>
  );
}
