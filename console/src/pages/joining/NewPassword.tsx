import { useState, type Ref } from "react";
import { PasswordInput } from "../../parts/PasswordInput";
import { send } from "../../api/client";
import { request } from "../../api/request";
import { PasswordRules } from "../../parts/PasswordRules";
import { reasonAgainst } from "./refused";

export interface Typed {
  password: string;
  again: string;
}

interface Props {
  typed: Typed;
  onChange: (typed: Typed) => void;
  /** What sending it ended with. */
  error: unknown;
  /** It was sent although it is not the same twice. */
  differs: boolean;
  first?: Ref<HTMLInputElement>;
}

/** A password and the same again: its rules as it is typed, and what the server says of it before it is sent. */
export function NewPassword({ typed, onChange, error, differs, first }: Props) {
  const { password, again } = typed;
  const [judged, setJudged] = useState<{ password: string; reason?: string }>();
  const reason = judged?.password === password ? judged.reason : reasonAgainst(error, "password");

  async function judge() {
    if (password === "" || judged?.password === password) return;
    try {
      await send(request("post", "/auth/reset/validate-password", { body: { password } }));
      setJudged({ password });
    } catch (failure) {
      // Whatever else went wrong is told when the form is sent, which judges again.
      setJudged({ password, reason: reasonAgainst(failure, "password") });
    }
  }

  return (
    <>
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        required
        maxLength={1000}
        ref={first}
        value={password}
        error={reason}
        onBlur={() => void judge()}
        onChange={(event) => onChange({ password: event.currentTarget.value, again })}
        visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
      />
      <PasswordRules password={password} />
      <PasswordInput
        label="New password again"
        autoComplete="new-password"
        required
        maxLength={1000}
        value={again}
        error={differs && password !== again ? "It is not the same." : undefined}
        onChange={(event) => onChange({ password, again: event.currentTarget.value })}
        visibilityToggleButtonProps={{ "aria-label": "Show the new password again" }}
      />
    </>
  );
}
