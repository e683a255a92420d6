import { Select, TextInput } from "@mantine/core";
import dayjs from "dayjs";
import { useState, type ReactNode } from "react";
import { serverTime } from "../../api/clock";
import { number } from "../../words/counts";
import { choicesUpTo, endAfter } from "../tokens/lifetime";
import { forField, fromField, useZone } from "../zone";
import classes from "./Expiry.module.css";

interface Props {
  label: string;
  description?: string;
  /** ISO text, or nothing for never. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** Days to choose from. */
  days: readonly number[];
  /** Days after which it must have ended. */
  longest?: number;
  /** Whether it may have no end. */
  orNever?: boolean;
  error?: ReactNode;
}

const inDays = (days: number) => (days === 1 ? "in a day" : days === 365 ? "in a year" : `in ${number(days)} days`);

/** When something ends: in some days, at a moment, or never. */
export function Expiry({ label, description, value, onChange, days, longest, orNever = false, error }: Props) {
  const zone = useZone();
  const [choice, setChoice] = useState(value === null ? "never" : "at");
  const data = [
    ...choicesUpTo(days, longest).map((count) => ({ value: String(count), label: inDays(count) })),
    { value: "at", label: "at a moment" },
    ...(orNever ? [{ value: "never", label: "never" }] : []),
  ];
  return (
    <div className={classes.expiry}>
      <Select
        label={label}
        description={description}
        allowDeselect={false}
        data={data}
        value={choice}
        error={value === null ? error : undefined}
        onChange={(chosen) => {
          if (!chosen) return;
          setChoice(chosen);
          if (chosen === "never") onChange(null);
          else if (chosen !== "at") onChange(endAfter(Number(chosen), serverTime(), longest));
          else if (value === null) onChange(dayjs(serverTime()).add(1, "day").startOf("hour").toISOString());
        }}
      />
      {value !== null && (
        <TextInput
          type="datetime-local"
          label={`${label}, in ${zone}`}
          required
          error={error}
          value={forField(new Date(value), zone)}
          onChange={(event) => {
            const moment = fromField(event.currentTarget.value, zone);
            if (!moment) return;
            setChoice("at");
            onChange(moment.toISOString());
          }}
        />
      )}
    </div>
  );
}
