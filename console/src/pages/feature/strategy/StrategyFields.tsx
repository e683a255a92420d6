import { Alert, MultiSelect, Switch, TextInput } from "@mantine/core";
import { useInstance, useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { audience } from "../../../parts/strategies/audience";
import { Constraints } from "../../../parts/strategies/Constraints";
import { KindSelect } from "../../../parts/strategies/KindSelect";
import classes from "../Feature.module.css";
import { objections, ofKind, type Draft } from "./draft";
import { Parameters } from "./Parameters";
import { StrategyVariants } from "./StrategyVariants";
import { WithMoments } from "../../../parts/Moment";

const noKinds: readonly Schemas["StrategyType"][] = [];
const noSegments: readonly Schemas["Segment"][] = [];

/** What is known of a strategy while it is edited. */
export interface Known {
  /** Whether the kinds are still read. */
  isWaiting: boolean;
  kinds: readonly Schemas["StrategyType"][];
  segments: readonly Schemas["Segment"][];
  names: ReadonlyMap<number, string>;
  /** For whom it is on, in words. */
  now: string;
  /** Why it cannot be saved as it is. */
  wrong: readonly string[];
}

/** What is said of a strategy as it is typed; constraints that were stored before stay as they are. */
export function useStrategyForm(draft: Draft, stored: Draft): Known {
  const read = useRead(request("get", "/api/admin/strategies"), { staleTime: 60_000 });
  const kinds = read.data?.strategies ?? noKinds;
  const segments = useRead(request("get", "/api/admin/segments"), { staleTime: 60_000 }).data?.segments ?? noSegments;
  const names = new Map(segments.map(({ id, name }) => [id, name]));
  const kind = kinds.find(({ name }) => name === draft.name);
  const wrong = objections(draft, kind, stored.constraints);
  return { isWaiting: read.isPending, kinds, segments, names, now: audience(draft, names), wrong };
}

interface Props {
  feature: { project: string; name: string };
  draft: Draft;
  setDraft: (draft: Draft) => void;
  known: Known;
}

/** For whom a feature is on: the fields of a strategy, and what they mean in a sentence. */
export function StrategyFields({ feature, draft, setDraft, known }: Props) {
  const limits = useInstance()?.resourceLimits;
  const { isWaiting, kinds, segments, now, wrong } = known;
  const usable = segments.filter(({ project }) => !project || project === feature.project);
  return (
    <>
      <div className={`breaks ${classes.says}`} aria-live="polite">
        On for:{" "}
        <bdi>
          <WithMoments text={now} />
        </bdi>
        {draft.disabled && " – but disabled"}
      </div>
      <KindSelect
        kinds={kinds}
        value={draft.name}
        onChange={(chosen) => setDraft(ofKind(draft, chosen, feature.name))}
      />
      <TextInput
        label="Title"
        description="For people; applications do not see it."
        maxLength={200}
        value={draft.title}
        onChange={(event) => setDraft({ ...draft, title: event.currentTarget.value })}
      />
      <Parameters
        isWaiting={isWaiting}
        kind={kinds.find(({ name }) => name === draft.name)}
        parameters={draft.parameters}
        change={(parameters) => setDraft({ ...draft, parameters })}
      />
      <Constraints constraints={draft.constraints} change={(constraints) => setDraft({ ...draft, constraints })} />
      <MultiSelect
        label="Only in these segments"
        searchable
        limit={50}
        maxValues={limits?.strategySegments}
        data={usable.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={draft.segments.map(String)}
        onChange={(ids) => setDraft({ ...draft, segments: ids.map(Number) })}
      />
      <Switch
        label="Enabled"
        checked={!draft.disabled}
        onChange={(event) => setDraft({ ...draft, disabled: !event.currentTarget.checked })}
      />
      <StrategyVariants draft={draft} setDraft={setDraft} />
      {wrong.length > 0 && (
        <Alert color="red" variant="outline" role="status">
          {wrong.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Alert>
      )}
    </>
  );
}
