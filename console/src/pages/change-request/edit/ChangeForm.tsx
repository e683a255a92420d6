import { Checkbox, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../api/request";
import { same } from "../../../parts/conflict/merge";
import { constraintObjections, changed } from "../../../parts/strategies/values";
import { assertTaken } from "../../../parts/strategies/validation";
import { VariantRows } from "../../../parts/variants/VariantRows";
import { objections } from "../../../parts/variants/weights";
import { draftOf as segmentDraft } from "../../build/segments/plans";
import { SegmentFields } from "../../build/segments/SegmentFields";
import { DependencyFields, lacking } from "../../feature/settings/DependencyFields";
import { draftOf } from "../../feature/strategy/draft";
import { StrategyFields, useStrategyForm } from "../../feature/strategy/StrategyFields";
import { dependencyOf, ofDependency, ofSegment, ofStrategy, type Edited, type OfOne } from "./editing";
import { Frame } from "./Frame";
import { OrderForm } from "./OrderForm";

/** A change of an own change request in its form. */
export default function ChangeForm({ change, ...of }: Edited) {
  switch (change.action) {
    case "addStrategy":
    case "updateStrategy":
      return <StrategyForm {...of} change={change} />;
    case "patchVariant":
      return <VariantsForm {...of} change={change} />;
    case "updateEnabled":
      return <SwitchForm {...of} change={change} />;
    case "reorderStrategy":
      return <OrderForm {...of} change={change} />;
    case "addDependency":
      return <DependencyForm {...of} change={change} />;
    case "updateSegment":
      return <SegmentForm {...of} change={change} />;
  }
}

function StrategyForm({ change, ...of }: OfOne<"addStrategy" | "updateStrategy">) {
  const { request, feature } = of;
  const stored = draftOf(change.payload, feature);
  const [draft, setDraft] = useState(stored);
  const known = useStrategyForm(draft, stored);
  return (
    <Frame
      {...of}
      change={change}
      title={`Strategy in ${request.environment}`}
      wanted={ofStrategy(feature, change, draft)}
      isChanged={!same(draft, stored)}
      objection={known.wrong[0]}
      check={() => assertTaken(changed(draft.constraints, stored.constraints))}
    >
      <StrategyFields
        feature={{ project: request.project, name: feature }}
        draft={draft}
        setDraft={setDraft}
        known={known}
      />
    </Frame>
  );
}

function VariantsForm({ change, ...of }: OfOne<"patchVariant">) {
  const stored: Schemas["FeatureVariant"][] = change.payload.variants;
  const [variants, setVariants] = useState(stored);
  return (
    <Frame
      {...of}
      change={change}
      title={`Variants in ${of.request.environment}`}
      wanted={{ feature: of.feature, action: "patchVariant", payload: { variants } }}
      isChanged={!same(variants, stored)}
      objection={objections(variants)[0]}
    >
      {variants.length === 0 && <span className="muted">No variants: the flag is only on or off.</span>}
      <VariantRows variants={variants} change={setVariants} />
    </Frame>
  );
}

const ways = [
  { value: "on", label: "Switch on" },
  { value: "off", label: "Switch off" },
];

function SwitchForm({ change, ...of }: OfOne<"updateEnabled">) {
  const stored = {
    enabled: change.payload.enabled,
    shouldActivateDisabledStrategies: change.payload.shouldActivateDisabledStrategies ?? false,
  };
  const [payload, setPayload] = useState(stored);
  return (
    <Frame
      {...of}
      change={change}
      size="md"
      title={`${of.feature} in ${of.request.environment}`}
      wanted={{ feature: of.feature, action: "updateEnabled", payload }}
      isChanged={!same(payload, stored)}
    >
      <SegmentedControl
        aria-label="What it does"
        data={ways}
        value={payload.enabled ? "on" : "off"}
        onChange={(way) => setPayload({ ...payload, enabled: way === "on" })}
      />
      {payload.enabled && (
        <Checkbox
          label="Enable its strategies if all of them are disabled"
          description="Otherwise the default strategy of the project is added to them."
          checked={payload.shouldActivateDisabledStrategies}
          onChange={(event) =>
            setPayload({ ...payload, shouldActivateDisabledStrategies: event.currentTarget.checked })
          }
        />
      )}
    </Frame>
  );
}

function DependencyForm({ change, ...of }: OfOne<"addDependency">) {
  const stored = dependencyOf(change);
  const [wanted, setWanted] = useState(stored);
  return (
    <Frame
      {...of}
      change={change}
      size="md"
      title={`What ${of.feature} depends on`}
      wanted={ofDependency(of.feature, wanted)}
      isChanged={!same(wanted, stored)}
      objection={lacking(wanted)}
    >
      <DependencyFields
        feature={{ project: of.request.project, name: of.feature }}
        taken={new Set()}
        value={wanted}
        change={setWanted}
      />
    </Frame>
  );
}

function SegmentForm({ change, ...of }: OfOne<"updateSegment">) {
  const { name, description, project, constraints } = change.payload;
  const stored = segmentDraft({ name, description, project, constraints } as Schemas["Segment"]);
  const [draft, setDraft] = useState(stored);
  return (
    <Frame
      {...of}
      change={change}
      title={`Segment ${name}`}
      wanted={ofSegment(change, draft)}
      isChanged={!same(draft, stored)}
      objection={
        draft.name.trim() ? constraintObjections(draft.constraints, stored.constraints)[0] : "A name is missing."
      }
    >
      <SegmentFields draft={draft} change={(edit) => setDraft({ ...draft, ...edit })} isBound />
    </Frame>
  );
}
