import { Text } from "@mantine/core";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import { first, safeDestination } from "../../api/address";
import { enterSession } from "../../api/session";
import { Entrance } from "../../parts/Entrance";
import { SignInForm } from "../../parts/SignInForm";
import { useTitle } from "../../parts/title";

/** What somebody has just done who is led here. */
const before: Record<string, string> = {
  password: "Your password is set. Sign in with it.",
  joined: "You have joined. Sign in with your email and your password.",
};

export function SignIn() {
  useTitle("Sign in");
  const navigate = useNavigate();
  const router = useRouter();
  const client = useQueryClient();
  const { to, after } = useSearch({ strict: false });
  const destination = safeDestination(first(to), document.baseURI);
  const done = before[first(after) ?? ""];

  async function enter() {
    enterSession();
    client.clear();
    await router.invalidate();
    await navigate({ href: destination, replace: true });
  }

  return (
    <Entrance>
      <Text className={done ? undefined : "muted"} mb="lg" role="status">
        {done ?? "Sign in to see and change flags."}
      </Text>
      <SignInForm onSignedIn={() => void enter()} back={new URL(`.${destination}`, document.baseURI).pathname} />
    </Entrance>
  );
}
