import { Text } from "@mantine/core";
import { useRead } from "../api/queries";
import { request } from "../api/request";
import { nameOf } from "./people";

/** The built-in role Admin. */
const administrator = 1;
const shown = 3;

/** Whom to ask for what one may not do. */
export function WhoCan() {
  const people = useRead(request("get", "/api/admin/user-admin/access"), { staleTime: 60_000 }).data?.users ?? [];
  const names = people.filter(({ rootRole }) => rootRole === administrator).map(nameOf);
  if (names.length === 0) return null;
  return (
    <Text size="sm" mt={4} className="breaks">
      Administrators: <bdi>{names.slice(0, shown).join(", ")}</bdi>
      {names.length > shown && ` and ${names.length - shown} more`}.
    </Text>
  );
}
