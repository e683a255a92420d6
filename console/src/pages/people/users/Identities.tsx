import { List, Text, Title } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { Moment } from "../../../parts/Moment";
import { Problem } from "../../../parts/Problem";
import { nameOf } from "../../../parts/people";
import classes from "../../../parts/area/Area.module.css";

/** Who somebody is at login providers. */
export function Identities({ user }: { user: Schemas["User"] }) {
  const params = { path: { id: user.id } };
  const read = useRead(request("get", "/api/admin/user-admin/{id}/identities", { params }));
  const { act, busy } = useAct();
  const forgetting = request("delete", "/api/admin/user-admin/{id}/identities", { params });
  const identities = read.data?.identities ?? [];

  async function forget() {
    const isSure = await confirm({
      title: `Forget who ${nameOf(user)} is at login providers`,
      action: "Forget it",
      danger: true,
      requests: [forgetting],
      consequence:
        "Sessions that came through a provider end. Who signs in there next is found by email once more, or becomes a user anew.",
    });
    if (isSure) await act({ request: forgetting, done: "Forgotten." });
  }

  return (
    <section className={classes.section} aria-label="Login providers">
      <Title order={3}>Login providers</Title>
      <Problem error={read.error} again={() => void read.refetch()} />
      {read.data && identities.length === 0 && (
        <Text size="sm" mt="sm">
          They never came through a login provider.
        </Text>
      )}
      {identities.length > 0 && (
        <>
          <List size="sm" my="sm">
            {identities.map(({ provider, issuer, subject, email, seenAt }) => (
              <List.Item key={`${provider} ${issuer} ${subject}`} className="breaks">
                {provider.toUpperCase()} <bdi>{email ?? subject}</bdi> of <bdi>{issuer}</bdi>, last{" "}
                <Moment at={seenAt} />
              </List.Item>
            ))}
          </List>
          <ActionButton
            variant="default"
            size="compact-sm"
            request={forgetting}
            loading={busy}
            onClick={() => void forget()}
          >
            Forget …
          </ActionButton>
        </>
      )}
    </section>
  );
}
