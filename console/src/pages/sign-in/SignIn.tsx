import { Text, Title } from "@mantine/core";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import { first, safeDestination } from "../../api/address";
import { SignInForm } from "../../parts/SignInForm";
import { Stone } from "../../parts/frame/Stone";
import { useTitle } from "../../parts/title";
import classes from "./SignIn.module.css";

export function SignIn() {
  useTitle("Sign in");
  const navigate = useNavigate();
  const router = useRouter();
  const client = useQueryClient();
  const destination = safeDestination(first(useSearch({ strict: false }).to), document.baseURI);

  async function enter() {
    client.clear();
    await router.invalidate();
    await navigate({ href: destination, replace: true });
  }

  return (
    <main className={classes.page}>
      <div className={`card ${classes.card}`}>
        <div className={classes.brand}>
          <Stone />
          <Title order={1}>Flagstone</Title>
        </div>
        <Text className="muted" mb="lg">
          Sign in to see and change features.
        </Text>
        <SignInForm onSignedIn={() => void enter()} back={new URL(`.${destination}`, document.baseURI).pathname} />
      </div>
    </main>
  );
}
