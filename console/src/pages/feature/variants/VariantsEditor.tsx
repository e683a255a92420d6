import { Alert, Button, Group, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { onlyFor, request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { confirm, unasked } from "../../../parts/confirm";
import { same } from "../../../parts/conflict/merge";
import { useSave } from "../../../parts/conflict/save";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { Problem } from "../../../parts/Problem";
import { RequestPreview } from "../../../parts/requests/RequestPreview";
import type { Shown } from "../shown";
import { VariantRows } from "../../../parts/variants/VariantRows";
import { WeightBar } from "../../../parts/variants/WeightBar";
import { objections, type Variant } from "../../../parts/variants/weights";

interface Props extends Shown {
  environment: Schemas["FeatureEnvironmentDetails"];
}

/** Weights of the variants of one environment: they always add up. */
export function VariantsEditor({ feature, version, environment }: Props) {
  const current = { variants: environment.variants ?? [] };
  const [start, setStart] = useState({ ...current, version });
  const [variants, setVariants] = useState<Variant[]>(start.variants);
  const saving = useSave();
  const isChanged = !same(variants, start.variants);
  const isOutdated = !same(current.variants, start.variants);
  // Nothing was typed, so what came in meanwhile can be shown.
  if (isOutdated && !isChanged) {
    setStart({ ...current, version });
    setVariants(current.variants);
  }

  const path = { projectId: feature.project, featureName: feature.name, environment: environment.name };
  const plan = (value: { variants: Variant[] }) =>
    request("put", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/variants", {
      params: { path },
      body: value.variants,
    });
  const wrong = objections(variants);
  async function save() {
    if (wrong.length || !isChanged) return;
    const meant = isProduction(environment.type)
      ? await confirm({
          title: "Change the variants in production",
          action: "Change them",
          reasoned: true,
          requests: [plan({ variants })],
          consequence: (
            <>
              <strong>{feature.name}</strong> in{" "}
              <EnvironmentName {...path} name={environment.name} type={environment.type} />:<p>before</p>
              <WeightBar variants={start.variants} />
              <p>after</p>
              <WeightBar variants={variants} />
            </>
          ),
        })
      : unasked;
    if (!meant) return;
    const outcome = await saving.save({
      base: { variants: start.variants },
      version: start.version,
      mine: { variants },
      plan,
      because: meant.because,
      reread: async () => {
        const fresh = await send(
          request("get", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}", {
            params: { path },
          }),
        );
        return { data: { variants: fresh.data.variants ?? [] }, version: fresh.version };
      },
      feature: feature.name,
      done: `The variants of ${feature.name} in ${environment.name} are saved.`,
      undoing: isProduction(environment.type)
        ? () => ({
            label: `Restore the variants in ${environment.name}`,
            done: `The variants of ${feature.name} in ${environment.name} are as before.`,
          })
        : undefined,
    });
    if (outcome === "saved") setStart({ variants, version: undefined });
    // What is drafted is not so yet.
    if (outcome === "theirs" || outcome === "drafted") setVariants(start.variants);
  }

  return (
    <form
      className={`card ${isProduction(environment.type) ? "production" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="md">
        <Title order={2}>Variants of {environment.name}</Title>
        {variants.length === 0 && <span className="muted">{none(environment)}</span>}
        <VariantRows variants={variants} change={setVariants} />
        {isOutdated && isChanged && (
          <Alert color="stone" variant="outline" role="status">
            Somebody changed these variants meanwhile. When you save, you see both.
          </Alert>
        )}
        {wrong.length > 0 && (
          <Alert color="red" variant="outline" role="status">
            {wrong.map((line) => (
              <div key={line}>{line}</div>
            ))}
          </Alert>
        )}
        <Problem error={saving.error} />
        <RequestPreview requests={[onlyFor(plan({ variants }), start.version)]} />
        <Group gap="sm">
          <ActionButton
            type="submit"
            request={plan({ variants })}
            loading={saving.busy}
            because={isChanged ? undefined : "Nothing is changed yet."}
          >
            Save
          </ActionButton>
          <Button variant="default" disabled={!isChanged} onClick={() => setVariants(start.variants)}>
            Start over
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const none = ({ strategies = [] }: Schemas["FeatureEnvironmentDetails"]) =>
  strategies.some(({ variants }) => variants?.length)
    ? "The environment has no variants of its own: only the strategies above have some."
    : "No variants: the flag is only on or off.";
