import { List, Stack, Text, TextInput, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { request } from "../../api/request";
import { AttemptButton } from "../../parts/AttemptButton";
import { useAttempt } from "../../parts/attempt";
import { Entrance } from "../../parts/Entrance";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { useFirstField } from "./link";

/** What somebody does who forgot the password: this server sends no email, so a person makes the link. */
export default function ForgottenPage() {
  useTitle("Forgotten password");
  const [email, setEmail] = useState("");
  const [isNoted, setNoted] = useState(false);
  const { attempt, busy, error, wait } = useAttempt();
  const field = useFirstField();

  async function note(event: FormEvent) {
    event.preventDefault();
    const planned = request("post", "/auth/reset/password-email", { body: { email: email.trim() } });
    if (await attempt(planned)) setNoted(true);
  }

  return (
    <Entrance>
      <Title order={2} mb="xs">
        Forgotten password
      </Title>
      <Stack gap="md">
        <Text>
          This server sends no email. An administrator creates a link for you, with which you set a new password:
        </Text>
        <List type="ordered">
          <List.Item>Ask an administrator of your company’s Flagstone, as you would ask about anything else.</List.Item>
          <List.Item>
            They open <em>People</em>, <em>Users</em>, you, and <em>Create a link</em>, and give it to you.
          </List.Item>
          <List.Item>The link works once, for 24 hours. Your current password works until you use it.</List.Item>
        </List>
        {isNoted ? (
          <Text role="status">
            <strong className="good">✓ Noted,</strong> if somebody here has this email. Now ask an administrator.
          </Text>
        ) : (
          <form onSubmit={(event) => void note(event)}>
            <Stack gap="md">
              <TextInput
                label="Your email"
                description="So that whoever runs the server finds in its log that you asked, and when."
                type="email"
                autoComplete="email"
                required
                maxLength={255}
                ref={field}
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
              />
              <Problem error={error} />
              <AttemptButton variant="default" busy={busy} wait={wait}>
                Note that I ask
              </AttemptButton>
            </Stack>
          </form>
        )}
        <Text size="sm">
          You are the only administrator? On the machine of the server, <code>flagstone user set-password --help</code>{" "}
          tells how you give yourself another one. <Link to="/sign-in">Back to signing in</Link>
        </Text>
      </Stack>
    </Entrance>
  );
}
