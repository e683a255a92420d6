import { Anchor, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { wrongCode } from "./requests";

interface Props {
  code: string;
  onChange: (code: string) => void;
  error: unknown;
  /** Whether a recovery code serves as well. */
  isRecoverable?: boolean;
  /** Whether it has the focus from the start. */
  isFirst?: boolean;
}

const ofApp = {
  label: "Code of your authenticator app",
  description: "Six digits, which change every 30 seconds.",
  autoComplete: "one-time-code",
  inputMode: "numeric",
  other: "Use a recovery code instead",
} as const;
const ofRecovery = {
  label: "Recovery code",
  description: "Sixteen letters and digits. Each works once.",
  autoComplete: "off",
  inputMode: "text",
  other: "Use the code of the app instead",
} as const;

/** Field of a code of the second factor: digits of the app, or a recovery code. */
export function CodeInput({ code, onChange, error, isRecoverable = false, isFirst = false }: Props) {
  const [isRecovery, setRecovery] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { other, ...looks } = isRecovery ? ofRecovery : ofApp;
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);

  function change() {
    // The keyboard of a phone is that of the field as it is when it gets the focus.
    flushSync(() => {
      onChange("");
      setRecovery(!isRecovery);
    });
    field.current?.focus();
  }

  return (
    <div>
      <TextInput
        {...looks}
        ref={field}
        required
        maxLength={100}
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: "mono" }}
        value={code}
        error={wrongCode(error)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isRecoverable && (
        <Anchor component="button" type="button" size="sm" mt={4} onClick={change}>
          {other}
        </Anchor>
      )}
    </div>
  );
}
