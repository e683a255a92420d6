import { Group, Text, Title } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { Moment } from "../../../parts/Moment";
import { Problem } from "../../../parts/Problem";
import { nameOf } from "../../../parts/people";
import classes from "../../../parts/area/Area.module.css";

/** The personal tokens of somebody: what scripts come in with as them. */
export function UserTokens({ user }: { user: Schemas["User"] }) {
  const read = useRead(request("get", "/api/admin/user-admin/{id}/tokens", { params: { path: { id: user.id } } }));
  const tokens = read.data?.pats ?? [];
  return (
    <section className={classes.section} aria-label="Personal tokens">
      <Title order={3}>Personal tokens</Title>
      <Problem error={read.error} again={() => void read.refetch()} />
      {read.data && tokens.length === 0 && (
        <Text size="sm" mt="sm">
          None.
        </Text>
      )}
      {tokens.map(({ id, description, expiresAt, seenAt }) => (
        <Group key={id} justify="space-between" gap="sm" mt="sm">
          <Text size="sm" className="breaks">
            <bdi>{description}</bdi>, used <Moment at={seenAt} />, ends <Moment at={expiresAt} />
          </Text>
          <RemoveButton
            compact
            what="personal token"
            name={description}
            request={request("delete", "/api/admin/user-admin/{id}/tokens/{tokenId}", {
              params: { path: { id: user.id, tokenId: id } },
            })}
            consequence={`What comes with it as ${nameOf(user)} is turned away from the next request on.`}
          />
        </Group>
      ))}
    </section>
  );
}
