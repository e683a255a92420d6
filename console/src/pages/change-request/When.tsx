import { TextInput } from "@mantine/core";
import dayjs from "dayjs";
import relativeTime from "dayjs/plugin/relativeTime";
import { serverTime } from "../../api/clock";
import { forField, fromField, inZone, useZone } from "../../parts/zone";

dayjs.extend(relativeTime);

interface Props {
  /** ISO text. */
  value: string;
  onChange: (value: string) => void;
  objection: string | undefined;
}

/** The next full hour that is not too close. */
export const usualTime = () => dayjs(serverTime()).add(1, "hour").startOf("hour").add(1, "hour").toISOString();

/** Why nothing can be applied at this time. */
export function whenObjection(value: string): string | undefined {
  if (value === "") return "A day and a time are needed.";
  return dayjs(value).isAfter(serverTime()) ? undefined : "This is in the past.";
}

/** When something is to happen: typed in the zone of the reader, and told in UTC, too. */
export function When({ value, onChange, objection }: Props) {
  const zone = useZone();
  const moment = value ? new Date(value) : undefined;
  return (
    <TextInput
      type="datetime-local"
      data-autofocus
      label={`When, in the time zone ${zone}`}
      required
      error={objection}
      description={
        moment && !objection ? (
          <>
            {dayjs(moment).from(serverTime())}, {inZone(moment, "UTC").slice(0, 16)} in UTC
          </>
        ) : (
          "It must be in the future."
        )
      }
      value={moment ? forField(moment, zone) : ""}
      onChange={(event) => onChange(fromField(event.currentTarget.value, zone)?.toISOString() ?? "")}
    />
  );
}
