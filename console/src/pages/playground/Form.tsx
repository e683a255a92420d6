import { Button, Group, MultiSelect, Select } from "@mantine/core";
import { useState } from "react";
import { useEnvironments, useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { environmentOption } from "../../parts/EnvironmentName";
import { productionLast } from "../../parts/environments";
import { ContextInput } from "./ContextInput";
import { combinations, known, type Question } from "./question";
import classes from "./Playground.module.css";

interface Props {
  question: Question;
  ask: (question: Question) => void;
  /** The same question once more. */
  again: () => void;
  busy: boolean;
}

const usual = ["userId", "sessionId", "remoteAddress"] as const;
/** So many contexts at a time can be looked at. */
const most = 100;

/** Who asks, and where. */
export function Form({ question, ask, again, busy }: Props) {
  const environments = useEnvironments().filter(({ enabled }) => enabled);
  const projects = useProjects();
  const fields = useRead(request("get", "/api/admin/context"), { staleTime: 60_000 }).data ?? [];
  const [changed, setPlaces] = useState(question.environments.length ? question.environments : undefined);
  // Nobody has to choose before a first look: it is production that people ask about.
  const places =
    changed ??
    productionLast(environments)
      .slice(-1)
      .map(({ name }) => name);
  const [chosen, setChosen] = useState(question.projects);
  const [texts, setTexts] = useState<Record<string, string>>(
    Object.fromEntries(Object.entries(question.context).map(([name, values]) => [name, values.join(",")])),
  );
  const shown = [...new Set([...usual, ...Object.keys(texts)])];
  const more = [...new Set([...known, ...fields.map(({ name }) => name)])].filter(
    (name) => !shown.includes(name) && name !== "environment",
  );
  const asked: Question = {
    environments: places,
    projects: chosen,
    context: Object.fromEntries(
      Object.entries(texts)
        .map(([name, text]): [string, string[]] => [
          name,
          text
            .split(",")
            .map((part) => part.trim())
            .filter(Boolean),
        ])
        .filter(([, values]) => values.length),
    ),
  };
  const count = combinations(asked);
  const objection = !places.length
    ? "Choose an environment."
    : count > most
      ? `These are ${count} answers for each flag: at most ${most} can be looked at.`
      : undefined;

  return (
    <form
      className={`card ${classes.form}`}
      aria-label="Who asks"
      onSubmit={(event) => {
        event.preventDefault();
        if (objection) return;
        if (JSON.stringify(asked) === JSON.stringify(question)) again();
        else ask(asked);
      }}
    >
      <MultiSelect
        label="Environments"
        size="xs"
        maxValues={15}
        data={environments.map(environmentOption)}
        value={places}
        onChange={setPlaces}
      />
      <MultiSelect
        label="Projects"
        size="xs"
        placeholder={chosen.length ? undefined : "All"}
        searchable
        limit={50}
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={chosen}
        onChange={setChosen}
      />
      {shown.map((name) => (
        <ContextInput
          key={name}
          name={name}
          legal={fields.find((field) => field.name === name)?.legalValues?.map(({ value }) => value) ?? []}
          text={texts[name] ?? ""}
          put={(text) => setTexts({ ...texts, [name]: text })}
          remove={
            (usual as readonly string[]).includes(name)
              ? undefined
              : () => setTexts(Object.fromEntries(Object.entries(texts).filter(([one]) => one !== name)))
          }
        />
      ))}
      <Select
        label="Another field"
        size="xs"
        placeholder="Add"
        searchable
        limit={50}
        data={more}
        value={null}
        onChange={(name) => name && setTexts({ ...texts, [name]: "" })}
      />
      <Group gap="sm" className={classes.across}>
        <Button
          type="submit"
          loading={busy}
          aria-disabled={objection ? true : undefined}
          data-disabled={objection ? true : undefined}
        >
          Ask
        </Button>
        <span className="muted" role="status">
          {objection ?? `${count} ${count === 1 ? "answer" : "answers"} for each flag`}
        </span>
      </Group>
    </form>
  );
}
