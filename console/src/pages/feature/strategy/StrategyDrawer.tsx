import { Alert } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { onlyFor, request, type Schemas } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { confirm, unasked } from "../../../parts/confirm";
import { same } from "../../../parts/conflict/merge";
import { useSave } from "../../../parts/conflict/save";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { audience } from "../../../parts/strategies/audience";
import type { Shown } from "../shown";
import { assertTaken } from "../../../parts/strategies/validation";
import { changed } from "../../../parts/strategies/values";
import { draftOf, type Draft } from "./draft";
import { StrategyFields, useStrategyForm } from "./StrategyFields";
import { WithMoments } from "../../../parts/Moment";

interface Props extends Shown {
  environment: Schemas["FeatureEnvironmentDetails"];
  strategy: Schemas["FeatureStrategy"] | undefined;
  isNew: boolean;
  onClose: () => void;
}

/** For whom a feature is on in an environment: the form, and what it means in a sentence. */
export default function StrategyDrawer({ feature, version, environment, strategy, isNew, onClose }: Props) {
  // What was shown when the form was opened: reading again must not change what is being edited.
  const [start] = useState({ draft: draftOf(strategy, feature.name), version });
  const [draft, setDraft] = useState<Draft>(start.draft);
  const known = useStrategyForm(draft, start.draft);
  const { names, now, wrong } = known;
  const { act, busy, error, setError } = useAct({ inline: true });
  const saving = useSave();

  const path = { projectId: feature.project, featureName: feature.name, environment: environment.name };
  const strategyId = strategy?.id ?? "";
  const plan = (value: Draft) =>
    isNew
      ? request(
          "post",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies",
          {
            params: { path },
            body: value,
          },
        )
      : request(
          "put",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
          {
            params: { path: { ...path, strategyId } },
            body: value,
          },
        );

  const isChanged = !same(draft, start.draft);

  async function reread() {
    const fresh = await send(
      request("get", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}", {
        params: { path },
      }),
    );
    const theirs = fresh.data.strategies?.find(({ id }) => id === strategyId);
    if (!theirs) throw new Error("Somebody removed this strategy meanwhile. Copy what you need, then close this.");
    return { data: draftOf(theirs, feature.name), version: fresh.version };
  }

  async function save() {
    if (wrong.length) return;
    setError(undefined);
    try {
      await assertTaken(changed(draft.constraints, start.draft.constraints));
    } catch (refusal) {
      setError(refusal);
      return;
    }
    const meant = isProduction(environment.type)
      ? await confirm({
          title: `${isNew ? "Add" : "Change"} a strategy in production`,
          action: isNew ? "Add strategy" : "Change strategy",
          reasoned: true,
          requests: [plan(draft)],
          consequence: (
            <>
              <strong>{feature.name}</strong> in <EnvironmentName name={environment.name} type={environment.type} />
              {environment.enabled ? "" : " (which is off there)"}
              {!isNew && (
                <p>
                  <del>
                    <WithMoments text={audience(start.draft, names)} />
                  </del>
                </p>
              )}
              <p>
                <ins>
                  <WithMoments text={now} />
                </ins>
                {draft.disabled ? ", disabled" : ""}
              </p>
            </>
          ),
        })
      : unasked;
    if (!meant) return;
    if (isNew) {
      const made = await act({
        request: meant.because(plan(draft)),
        done: "The strategy is added.",
        onDrafted: onClose,
      });
      if (made) onClose();
      return;
    }
    const outcome = await saving.save({
      base: start.draft,
      version: start.version,
      mine: draft,
      plan,
      because: meant.because,
      reread,
      feature: feature.name,
      done: `${feature.name} in ${environment.name}: ${now}.`,
      undoing: isProduction(environment.type)
        ? (before) => ({
            label: `Restore the strategy in ${environment.name}`,
            done: `${feature.name} in ${environment.name} again: ${audience(before, names)}.`,
          })
        : undefined,
    });
    if (outcome !== "editing") onClose();
  }

  return (
    <FormDrawer
      title={
        <>
          {isNew ? "New strategy" : "Strategy"} in <EnvironmentName name={environment.name} type={environment.type} />
        </>
      }
      size="lg"
      onClose={onClose}
    >
      {!isNew && !strategy ? (
        <Alert color="red">This strategy does not exist (any more).</Alert>
      ) : (
        <Form
          request={plan(draft)}
          shown={onlyFor(plan(draft), isNew ? undefined : start.version)}
          action={isNew ? "Add" : "Save"}
          busy={busy || saving.busy}
          error={error ?? saving.error}
          because={isNew || isChanged ? undefined : "Nothing is changed yet."}
          onSubmit={() => void save()}
          onCancel={onClose}
          isChanged={isChanged}
        >
          <StrategyFields feature={feature} draft={draft} setDraft={setDraft} known={known} />
        </Form>
      )}
    </FormDrawer>
  );
}
