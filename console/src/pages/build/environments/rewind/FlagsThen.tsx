import { Button, Checkbox, Group, Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../../api/request";
import { Listing, type Column } from "../../../../parts/area/Listing";
import { idOf } from "../../../../parts/bulk/tasks";
import { useSegmentNames } from "../../../../parts/strategies/segments";
import { counted, number } from "../../../../words/counts";
import type { Aspect } from "../../../feature/compare/comparison";
import { aspectsOf, type FlagThen, type Past } from "./past";
import { RestorePreview } from "./RestorePreview";
import classes from "./Rewind.module.css";

interface Props {
  environment: Schemas["Environment"];
  past: Past;
  /** The moment in words. */
  when: string;
  isNow: boolean;
  /** Id of the newest event that the page knows. */
  newest: number;
}

const shownOfGone = 20;

/** The flags that were otherwise in the environment, each with what differs, and the way back for those that are chosen. */
export function FlagsThen({ environment: { name, type }, past: { flags, gone }, when, isNow, newest }: Props) {
  const segments = useSegmentNames();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [restored, setRestored] = useState<readonly string[]>();
  const here = flags.filter((flag) => selected.has(idOf(flag)));
  const chosen = flags.filter((flag) => restored?.includes(idOf(flag)));

  function select(some: readonly FlagThen[], isSelected: boolean) {
    const next = new Set(selected);
    for (const flag of some) {
      if (isSelected) next.add(idOf(flag));
      else next.delete(idOf(flag));
    }
    setSelected(next);
  }

  if (isNow) return null;
  const columns: Column<FlagThen>[] = [
    {
      head: "Flag",
      cell: (flag) => (
        <Group gap={8} wrap="nowrap" align="flex-start">
          <Checkbox
            size="xs"
            mt={3}
            aria-label={`Select ${flag.name}`}
            checked={selected.has(idOf(flag))}
            onChange={(event) => select([flag], event.currentTarget.checked)}
          />
          <div className="breaks">
            <Link
              to="/projects/$projectId/features/$featureName/$tab"
              params={{ projectId: flag.project, featureName: flag.name, tab: "rewind" }}
            >
              <bdi>{flag.name}</bdi>
            </Link>
            <div className="muted">
              <bdi>{flag.project}</bdi>
            </div>
            {flag.isNew && <span className="chip">created since</span>}
            {flag.missing.length > 0 && <span className="chip">not exact</span>}
            {flag.missing.map((line) => (
              <div key={line} className="muted">
                {line}
              </div>
            ))}
          </div>
        </Group>
      ),
    },
    { head: "Now", cell: (flag) => <Side aspects={aspectsOf(flag, segments)} side="one" /> },
    { head: "Then", cell: (flag) => <Side aspects={aspectsOf(flag, segments)} side="other" /> },
    {
      head: <span className="visually-hidden">Put back</span>,
      cell: (flag) => (
        <Button variant="default" size="compact-sm" onClick={() => setRestored([idOf(flag)])}>
          Put this back …<span className="visually-hidden"> {flag.name}</span>
        </Button>
      ),
    },
  ];
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <div role="status">
          <Title order={3}>
            {flags.length === 0
              ? "No flag was different."
              : `${counted(flags.length, "flag")} ${flags.length === 1 ? "was" : "were"} different`}
          </Title>
        </div>
        {flags.length > 0 && (
          <Group gap="sm">
            <Button variant="default" size="compact-sm" onClick={() => select(flags, here.length < flags.length)}>
              {here.length < flags.length ? `Select all ${number(flags.length)}` : "Select none"}
            </Button>
            <Button size="compact-sm" disabled={here.length === 0} onClick={() => setRestored(here.map(idOf))}>
              Put {here.length === 0 ? "the selected" : number(here.length)} back …
            </Button>
          </Group>
        )}
      </Group>
      {flags.length > 0 && (
        <Listing
          label={`Flags that were different in ${name}`}
          read={{ error: undefined, data: flags, refetch: () => undefined }}
          items={flags}
          keyOf={idOf}
          columns={columns}
          empty=""
        />
      )}
      {gone.length > 0 && (
        <section className="card" aria-label="Archived or deleted since">
          <strong>
            {counted(gone.length, "flag")} of then {gone.length === 1 ? "is" : "are"} archived or deleted now
          </strong>
          <p className="muted">
            Applications no longer get them. One that is archived can be revived in its project, and is off everywhere
            then.
          </p>
          <ul className={classes.gone}>
            {gone.slice(0, shownOfGone).map((flag) => (
              <li key={idOf(flag)} className="breaks">
                <bdi>{flag.name}</bdi>{" "}
                <span className="muted">
                  in{" "}
                  <Link to="/projects/$projectId/$tab" params={{ projectId: flag.project, tab: "archive" }}>
                    <bdi>{flag.project}</bdi>
                  </Link>
                  , {flag.how}
                </span>
              </li>
            ))}
            {gone.length > shownOfGone && <li className="muted">and {number(gone.length - shownOfGone)} more</li>}
          </ul>
        </section>
      )}
      {chosen.length > 0 && (
        <RestorePreview
          {...{ environment: name, type, chosen, segments, when, newest }}
          onClose={(done) => {
            setRestored(undefined);
            if (done) setSelected(new Set());
          }}
        />
      )}
    </Stack>
  );
}

/** One side of what differs, in lines. */
function Side({ aspects, side }: { aspects: readonly Aspect[]; side: "one" | "other" }) {
  return (
    <div className={`breaks ${classes.side}`}>
      {aspects.map((aspect, at) => (
        <div key={at}>
          <span className="muted">{aspect.what}:</span>{" "}
          {aspect[side] ? <bdi>{aspect[side]}</bdi> : <span className="muted">none</span>}
        </div>
      ))}
    </div>
  );
}
