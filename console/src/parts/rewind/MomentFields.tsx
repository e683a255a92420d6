import { TextInput } from "@mantine/core";
import { useState } from "react";
import { serverTime } from "../../api/clock";
import { fromField, inZone, useZone } from "../zone";
import classes from "./MomentFields.module.css";

interface Props {
  /** How many moments back from now. */
  back: number;
  /** The moment that is furthest back. */
  last: number;
  /** When it was; absent for now. */
  at: string | undefined;
  /** The moment in words. */
  words: string;
  go: (back: number) => void;
  goTo: (moment: Date) => void;
}

const fieldOf = (moment: Date, zone: string) => inZone(moment, zone).replace(" ", "T");

/** Slider over the moments of a log, the past on its left, and a field for a time. */
export function MomentFields({ back, last, at, words, go, goTo }: Props) {
  const zone = useZone();
  // While a year is typed it is that of another moment.
  const [typed, setTyped] = useState<string>();
  return (
    <div className={classes.moments}>
      <input
        type="range"
        min={0}
        max={last}
        value={last - back}
        aria-label="Moment"
        aria-valuetext={words}
        onChange={(change) => {
          setTyped(undefined);
          go(last - Number(change.currentTarget.value));
        }}
      />
      <TextInput
        type="datetime-local"
        label={`At, in ${zone}`}
        step={1}
        max={fieldOf(new Date(serverTime()), zone)}
        value={typed ?? (at ? fieldOf(new Date(at), zone) : "")}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          const moment = fromField(value, zone);
          if (moment) goTo(moment);
        }}
      />
    </div>
  );
}
