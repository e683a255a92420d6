import { Text } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { useAct } from "../../parts/act";
import { CurrentPassword } from "../../parts/CurrentPassword";
import { PasswordInput } from "../../parts/PasswordInput";
import areaClasses from "../../parts/area/Area.module.css";
import { Form } from "../../parts/forms/FormDrawer";
import { PasswordRules } from "../../parts/PasswordRules";
import { meetsRules } from "../../parts/passwords";

/** A new password, for a user who knows the current one. */
export function MyPassword() {
  const [oldPassword, setOld] = useState("");
  const [password, setNew] = useState("");
  const [again, setAgain] = useState("");
  const { act, busy, error } = useAct({ inline: true });
  const planned = request("post", "/api/admin/user/change-password", { body: { oldPassword, password } });

  async function change() {
    const done = await act({ request: planned, done: "You have another password now." });
    if (!done) return;
    setOld("");
    setNew("");
    setAgain("");
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Password">
      <Form
        request={planned}
        action="Change the password"
        busy={busy}
        error={error}
        because={
          oldPassword === ""
            ? "The current password is missing."
            : !meetsRules(password)
              ? "The new password does not meet the rules yet."
              : again !== password
                ? "The new password is not the same twice."
                : undefined
        }
        onSubmit={() => void change()}
      >
        <Text size="sm">A new password ends your other sessions and all your personal tokens.</Text>
        <CurrentPassword value={oldPassword} onChange={setOld} />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          maxLength={1000}
          value={password}
          onChange={(event) => setNew(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
        />
        <PasswordRules password={password} />
        <PasswordInput
          label="New password again"
          autoComplete="new-password"
          maxLength={1000}
          value={again}
          onChange={(event) => setAgain(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": "Show the new password again" }}
        />
      </Form>
    </section>
  );
}
