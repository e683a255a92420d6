import { Alert, MultiSelect } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { useRead } from "../../../api/queries";
import { onlyFor, request, type Schemas } from "../../../api/request";
import { same } from "../../../parts/conflict/merge";
import { useSave } from "../../../parts/conflict/save";
import { EnvironmentName } from "../../../parts/EnvironmentName";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { audience } from "../../../parts/strategies/audience";
import { Constraints } from "../../../parts/strategies/Constraints";
import { KindSelect } from "../../../parts/strategies/KindSelect";
import { objections, ofKind, type Draft } from "../../feature/strategy/draft";
import { Parameters } from "../../feature/strategy/Parameters";
import { StrategyVariants } from "../../feature/strategy/StrategyVariants";
import { defaultOf, group, saving } from "./plans";
import { overviewRequest } from "../../../parts/project/overview";
import { WithMoments } from "../../../parts/Moment";

interface Props {
  projectId: string;
  environment: Schemas["EnvironmentsOfProject"]["environments"][number];
  version: string | undefined;
  onClose: () => void;
}

/** What a feature without a strategy gets when it is switched on in an environment. */
export function DefaultStrategy({ projectId, environment, version, onClose }: Props) {
  const known = useRead(request("get", "/api/admin/strategies"), { staleTime: 60_000 });
  const kinds = known.data?.strategies ?? [];
  const segments = useRead(request("get", "/api/admin/segments"), { staleTime: 60_000 }).data?.segments ?? [];
  const [start] = useState({ draft: defaultOf(environment.defaultStrategy), version });
  const [draft, setDraft] = useState(start.draft);
  const { save, busy, error } = useSave();
  const kind = kinds.find(({ name }) => name === draft.name);
  const wrong = objections(draft, kind, start.draft.constraints).filter((line) => !line.startsWith("groupId "));
  const isChanged = !same(draft, start.draft);
  const plan = (value: Draft) => saving(projectId, environment.name, value);
  const sentence = audience(draft, new Map(segments.map(({ id, name }) => [id, name])));

  async function submit() {
    if (wrong.length) return;
    const outcome = await save({
      base: start.draft,
      version: start.version,
      mine: draft,
      plan,
      reread: async () => {
        const fresh = await send(overviewRequest(projectId));
        const here = fresh.data.environments.find((one) => one.environment === environment.name);
        if (!here) throw new Error("The project does not use this environment any more.");
        return { data: defaultOf(here.defaultStrategy), version: fresh.version };
      },
      events: { project: `IS:${projectId}` },
      done: `Flags of ${projectId} begin in ${environment.name} with: ${sentence}.`,
    });
    if (outcome !== "editing") onClose();
  }

  return (
    <FormDrawer
      size="lg"
      onClose={onClose}
      title={
        <>
          Default strategy in <EnvironmentName name={environment.name} type={environment.type} />
        </>
      }
    >
      <Form
        request={plan(draft)}
        shown={onlyFor(plan(draft), start.version)}
        action="Save"
        busy={busy}
        error={error}
        because={isChanged ? undefined : "Nothing is changed yet."}
        onSubmit={() => void submit()}
        onCancel={onClose}
        isChanged={isChanged}
      >
        <p className="breaks" aria-live="polite">
          A flag that is switched on there without a strategy will be on for:{" "}
          <strong>
            <WithMoments text={sentence} />
          </strong>
          . Flags that have strategies keep them.
        </p>
        <KindSelect kinds={kinds} value={draft.name} onChange={(chosen) => setDraft(ofKind(draft, chosen, group))} />
        <Parameters
          isWaiting={known.isPending}
          kind={kind && { ...kind, parameters: kind.parameters.filter(({ name }) => name !== "groupId") }}
          parameters={draft.parameters}
          change={(parameters) => setDraft({ ...draft, parameters })}
        />
        <Constraints constraints={draft.constraints} change={(constraints) => setDraft({ ...draft, constraints })} />
        <MultiSelect
          label="Only in these segments"
          searchable
          limit={50}
          data={segments
            .filter(({ project }) => !project || project === projectId)
            .map(({ id, name }) => ({ value: String(id), label: name }))}
          value={draft.segments.map(String)}
          onChange={(ids) => setDraft({ ...draft, segments: ids.map(Number) })}
        />
        <StrategyVariants draft={draft} setDraft={setDraft} />
        {wrong.length > 0 && (
          <Alert color="red" variant="outline" role="status">
            {wrong.map((line) => (
              <div key={line}>{line}</div>
            ))}
          </Alert>
        )}
      </Form>
    </FormDrawer>
  );
}
