import { Text, Title } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { first } from "../../api/address";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAttempt } from "../../parts/attempt";
import { Entrance } from "../../parts/Entrance";
import { useTitle } from "../../parts/title";
import { Unread } from "../../parts/Unread";
import { DeadLink } from "./DeadLink";
import { useFirstField, useLeave } from "./link";
import { LinkedForm } from "./LinkedForm";
import { isDeadLink } from "./refused";

/** Where a link to set a password leads. */
export default function ResetPage() {
  useTitle("Set your password");
  const token = first(useSearch({ strict: false }).token);
  return (
    <Entrance>
      <Title order={2} mb="xs">
        Set your password
      </Title>
      {token ? <Checked key={token} token={token} /> : <Dead isWhole={false} />}
    </Entrance>
  );
}

function Dead({ isWhole }: { isWhole: boolean }) {
  return (
    <DeadLink isWhole={isWhole}>
      It sets a password once, and only for some time. Ask an administrator for another one.
    </DeadLink>
  );
}

function Checked({ token }: { token: string }) {
  const owner = useRead(request("get", "/auth/reset/validate", { params: { query: { token } } }), {
    staleTime: Infinity,
  });
  if (owner.data) return <SetPassword token={token} owner={owner.data} />;
  if (isDeadLink(owner.error)) return <Dead isWhole />;
  return <Unread read={owner} rows={4} />;
}

function SetPassword({ token, owner }: { token: string; owner: Schemas["PasswordLinkOwner"] }) {
  const [typed, setTyped] = useState({ password: "", again: "" });
  const attempt = useAttempt();
  const leave = useLeave();
  const field = useFirstField();
  const { name, email, createdBy } = owner;

  async function set() {
    const body = { token, password: typed.password };
    if (await attempt.attempt(request("post", "/auth/reset/password", { body }))) await leave("password");
  }

  return (
    <>
      <Text className="breaks" mb="lg">
        For <strong>{name}</strong>
        {email && email !== name && <> ({email})</>}
        {createdBy && <>, by a link that {createdBy} made</>}. It ends the sessions and personal tokens that there were
        before.
      </Text>
      <LinkedForm
        attempt={attempt}
        typed={typed}
        onTyped={setTyped}
        fields={["password"]}
        action="Set the password"
        dead={<Dead isWhole />}
        onSubmit={() => void set()}
        firstField={field}
      >
        {/* Tells the browser whose password it keeps. */}
        <input hidden readOnly autoComplete="username" value={email ?? name} />
      </LinkedForm>
    </>
  );
}
