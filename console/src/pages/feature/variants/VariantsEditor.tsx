import { Alert, Button, Checkbox, Group, NumberInput, Select, Stack, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { onlyFor, request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { confirm } from "../../../parts/confirm";
import { same } from "../../../parts/conflict/merge";
import { useSave } from "../../../parts/conflict/save";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { Problem } from "../../../parts/Problem";
import { RequestPreview } from "../../../parts/requests/RequestPreview";
import type { Shown } from "../FeaturePage";
import classes from "../Feature.module.css";
import { WeightBar } from "./WeightBar";
import { objections, shared, type Variant } from "./weights";

interface Props extends Shown {
  environment: Schemas["FeatureEnvironmentDetails"];
}

const payloads = ["string", "json", "csv", "number"];

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
  const put = (at: number, changed: Partial<Variant>) =>
    setVariants(shared(variants.map((variant, index) => (index === at ? { ...variant, ...changed } : variant))));
  const add = () =>
    setVariants(
      shared([
        ...variants,
        { name: "", weight: 0, weightType: "variable", stickiness: variants[0]?.stickiness ?? "default" },
      ]),
    );

  async function save() {
    if (wrong.length || !isChanged) return;
    const isMeant =
      !isProduction(environment.type) ||
      (await confirm({
        title: "Change the variants in production",
        action: "Change them",
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
      }));
    if (!isMeant) return;
    const outcome = await saving.save({
      base: { variants: start.variants },
      version: start.version,
      undoing: isProduction(environment.type)
        ? () => ({
            label: `Restore the variants in ${environment.name}`,
            done: `The variants of ${feature.name} in ${environment.name} are as before.`,
          })
        : undefined,
      mine: { variants },
      plan,
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
    });
    if (outcome === "saved") setStart({ variants, version: undefined });
    if (outcome === "theirs") setVariants(start.variants);
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
        {variants.length === 0 ? (
          <span className="muted">No variants: the feature is only on or off.</span>
        ) : (
          <WeightBar variants={variants} />
        )}
        {variants.map((variant, at) => (
          <Row
            key={at}
            variant={variant}
            put={(changed) => put(at, changed)}
            remove={() => setVariants(shared(variants.filter((_, index) => index !== at)))}
          />
        ))}
        <div>
          <Button variant="default" size="compact-sm" onClick={add}>
            Add a variant
          </Button>
        </div>
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

function Row({
  variant,
  put,
  remove,
}: {
  variant: Variant;
  put: (changed: Partial<Variant>) => void;
  remove: () => void;
}) {
  const isFixed = variant.weightType === "fix";
  const { payload } = variant;
  return (
    <fieldset className={classes.constraint}>
      <legend className="visually-hidden">Variant {variant.name}</legend>
      <TextInput
        label="Name"
        size="xs"
        maxLength={100}
        value={variant.name}
        onChange={(event) => put({ name: event.currentTarget.value })}
      />
      <NumberInput
        label="Share"
        size="xs"
        suffix=" %"
        min={0}
        max={100}
        decimalScale={1}
        readOnly={!isFixed}
        value={variant.weight / 10}
        onChange={(share) => isFixed && put({ weight: Math.round(Number(share) * 10) || 0 })}
      />
      <Checkbox
        className={classes.across}
        size="xs"
        label="This share is fixed; the others divide the rest"
        checked={isFixed}
        onChange={(event) => put({ weightType: event.currentTarget.checked ? "fix" : "variable" })}
      />
      <Select
        label="Payload"
        size="xs"
        clearable
        clearButtonProps={{ "aria-label": "No payload" }}
        placeholder="none"
        data={payloads}
        value={payload?.type ?? null}
        onChange={(type) =>
          put({
            payload: type
              ? { type: type as NonNullable<typeof payload>["type"], value: payload?.value ?? "" }
              : undefined,
          })
        }
      />
      {payload && (
        <Textarea
          label="Its value"
          size="xs"
          autosize
          maxRows={8}
          value={payload.value}
          onChange={(event) => put({ payload: { ...payload, value: event.currentTarget.value } })}
        />
      )}
      <Button className={classes.across} variant="default" size="compact-xs" onClick={remove}>
        Remove {variant.name || "this variant"}
      </Button>
    </fieldset>
  );
}
