import { Button, Checkbox, NumberInput, Select, TextInput, Textarea } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { useFocusOnceNew } from "../forms/useFocusOnceNew";
import { WeightBar } from "./WeightBar";
import classes from "./Variants.module.css";
import { shared, type Variant } from "./weights";

interface Props<V extends Variant> {
  variants: V[];
  change: (variants: V[]) => void;
  /** By which a new variant is assigned, where there is none before it. */
  stickiness?: string;
}

const payloads = ["string", "json", "csv", "number"];
const builtIn = ["default", "random", "userId", "sessionId"];

/** Variants with their weights, which always add up. */
export function VariantRows<V extends Variant>({ variants, change, stickiness = "default" }: Props<V>) {
  const fields = useRead(request("get", "/api/admin/context"), { staleTime: 60_000 }).data ?? [];
  const sticky = fields.filter((field) => field.stickiness).map(({ name }) => name);
  const by = variants[0]?.stickiness ?? stickiness;
  const isMixed = variants.some((variant) => (variant.stickiness ?? stickiness) !== by);
  const put = (at: number, changed: Partial<Variant>) =>
    change(shared(variants.map((variant, index) => (index === at ? { ...variant, ...changed } : variant))));
  const [added, setAdded] = useState<number>();
  const add = () => {
    setAdded(variants.length);
    change(shared([...variants, { name: "", weight: 0, weightType: "variable", stickiness: by } as V]));
  };
  return (
    <>
      {variants.length > 0 && <WeightBar variants={variants} />}
      {variants.map((variant, at) => (
        <Row
          key={at}
          variant={variant}
          isNew={at === added}
          put={(changed) => put(at, changed)}
          remove={() => {
            setAdded(undefined);
            change(shared(variants.filter((_, index) => index !== at)));
          }}
        />
      ))}
      {variants.length > 0 && (
        <Select
          label="Stickiness of the variants"
          description={
            isMixed
              ? "These variants have different ones: a choice applies to all."
              : "The context field by which the same user always gets the same variant."
          }
          allowDeselect={false}
          data={[...new Set([...builtIn, ...sticky, by])]}
          value={isMixed ? null : by}
          onChange={(chosen) => chosen && change(variants.map((variant) => ({ ...variant, stickiness: chosen })))}
        />
      )}
      <div>
        <Button variant="default" size="compact-sm" onClick={add}>
          Add variant
        </Button>
      </div>
    </>
  );
}

interface RowProps {
  variant: Variant;
  isNew: boolean;
  put: (changed: Partial<Variant>) => void;
  remove: () => void;
}

function Row({ variant, isNew, put, remove }: RowProps) {
  const field = useFocusOnceNew<HTMLInputElement>(isNew);
  const isFixed = variant.weightType === "fix";
  const { payload } = variant;
  return (
    <fieldset className={classes.variant}>
      <legend className="visually-hidden">Variant {variant.name}</legend>
      <TextInput
        ref={field}
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
      <Button className={classes.remove} variant="default" size="compact-xs" onClick={remove}>
        Remove {variant.name || "this variant"}
      </Button>
    </fieldset>
  );
}
