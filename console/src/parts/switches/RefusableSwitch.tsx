import { Switch, Tooltip } from "@mantine/core";

interface Props {
  "aria-label": string;
  "aria-busy"?: boolean;
  /** Why it may not be pressed. It can be focused all the same, and says so. */
  refusal: string | undefined;
  /** Whether a press is ignored for the moment. */
  busy?: boolean;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A switch that tells why it cannot be pressed. */
export function RefusableSwitch({ refusal, busy = false, onChange, ...props }: Props) {
  const control = (
    <Switch
      size="sm"
      withThumbIndicator={false}
      aria-disabled={refusal || busy ? true : undefined}
      data-refused={refusal ? true : undefined}
      onChange={(event) => {
        if (!refusal && !busy) onChange(event.currentTarget.checked);
      }}
      {...props}
    />
  );
  return refusal ? (
    <Tooltip label={refusal} refProp="rootRef">
      {control}
    </Tooltip>
  ) : (
    control
  );
}
