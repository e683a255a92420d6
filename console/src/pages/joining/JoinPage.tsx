import { Text, TextInput, Title } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { first } from "../../api/address";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { useAttempt } from "../../parts/attempt";
import { Entrance } from "../../parts/Entrance";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { DeadLink } from "./DeadLink";
import { useFirstField, useLeave } from "./link";
import { LinkedForm } from "./LinkedForm";
import { isDeadLink, reasonAgainst } from "./refused";

/** Where a sign-up link leads. */
export default function JoinPage() {
  useTitle("Join");
  const token = first(useSearch({ strict: false }).invite);
  return (
    <Entrance>
      <Title order={2} mb="xs">
        Join
      </Title>
      {token ? <Checked key={token} token={token} /> : <Dead isWhole={false} />}
    </Entrance>
  );
}

function Dead({ isWhole }: { isWhole: boolean }) {
  return <DeadLink isWhole={isWhole}>It has expired, or was disabled. Ask for another one where you got it.</DeadLink>;
}

function Checked({ token }: { token: string }) {
  const link = useRead(request("get", "/invite/{token}/validate", { params: { path: { token } } }), {
    staleTime: Infinity,
  });
  if (link.isSuccess) return <Join token={token} />;
  if (isDeadLink(link.error)) return <Dead isWhole />;
  return link.error ? <Problem error={link.error} again={() => void link.refetch()} /> : <Waiting rows={4} />;
}

const fields = [
  { key: "name", label: "Name", autoComplete: "name", type: "text", required: true, description: undefined },
  { key: "email", label: "Email", autoComplete: "email", type: "email", required: true, description: undefined },
  {
    key: "username",
    label: "User name",
    autoComplete: "username",
    type: "text",
    required: false,
    description: "To sign in with, besides the email. May stay empty.",
  },
] as const;

function Join({ token }: { token: string }) {
  const [who, setWho] = useState({ name: "", email: "", username: "" });
  const [typed, setTyped] = useState({ password: "", again: "" });
  const attempt = useAttempt();
  const leave = useLeave();
  const field = useFirstField();

  async function join() {
    const { name, email, username } = who;
    const body = { name, email, password: typed.password, ...(username && { username }) };
    const planned = request("post", "/invite/{token}/signup", { params: { path: { token } }, body });
    if (await attempt.attempt(planned)) await leave("joined");
  }

  return (
    <>
      <Text mb="lg">You will see all flags that are not private. Others give you the right to change some.</Text>
      <LinkedForm
        attempt={attempt}
        typed={typed}
        onTyped={setTyped}
        fields={[...fields.map(({ key }) => key), "password"]}
        action="Join"
        dead={<Dead isWhole />}
        onSubmit={() => void join()}
      >
        {fields.map(({ key, ...shown }, index) => (
          <TextInput
            key={key}
            {...shown}
            maxLength={255}
            ref={index === 0 ? field : undefined}
            value={who[key]}
            error={reasonAgainst(attempt.error, key)}
            onChange={(event) => setWho({ ...who, [key]: event.currentTarget.value })}
          />
        ))}
      </LinkedForm>
    </>
  );
}
