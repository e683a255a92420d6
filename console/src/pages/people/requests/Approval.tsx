import { Text } from "@mantine/core";
import { useState } from "react";
import { request, type Schemas } from "../../../api/request";
import type { AccessRequest } from "../../../parts/accessRequests";
import areaClasses from "../../../parts/area/Area.module.css";
import { FormDrawer } from "../../../parts/forms/FormDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { leastRole, RoleField } from "../RoleField";

export const planApproval = (requestId: number, rootRole: string) =>
  request("post", "/api/admin/user-access-requests/{requestId}/approve", {
    params: { path: { requestId } },
    body: { rootRole: Number(rootRole) },
  });

interface Props {
  /** Absent once it is no longer open. */
  asked: AccessRequest | undefined;
  nameProvider: (asked: AccessRequest) => string;
  roles: readonly Schemas["Role"][];
  onClose: () => void;
}

const title = "Approve the request";

/** Creates the user who asked for access, with a role. */
export function Approval({ asked: current, nameProvider, roles, onClose }: Props) {
  // Somebody else may decide while this one is open: then the server says so, and the form stays.
  const [asked] = useState(current);
  if (!asked)
    return (
      <FormDrawer title={title} onClose={onClose}>
        <Text size="sm">This request is no longer open: it was decided, or has ended.</Text>
      </FormDrawer>
    );
  const { id, email, name, issuer, subject } = asked;
  const provider = nameProvider(asked);
  const facts = { Email: email, Name: name, "Login provider": provider, Issuer: issuer, Subject: subject };
  return (
    <NewDrawer
      title={title}
      initial={{ rootRole: leastRole(roles) }}
      plan={({ rootRole }) => planApproval(id, rootRole)}
      action={() => "Approve it"}
      done={() => `${email} is a user now, and can sign in.`}
      onClose={onClose}
    >
      {({ rootRole }, edit) => (
        <>
          <dl className={areaClasses.facts}>
            {Object.entries(facts).map(([word, value]) => (
              <div key={word} className={areaClasses.pair}>
                <dt>{word}</dt>
                <dd>
                  <bdi>{value ?? "–"}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          <Text size="sm">
            This creates a user with this email, and links the identity to it: from then on they sign in through{" "}
            <bdi>{provider}</bdi>. This server sends no email, so tell them.
          </Text>
          <RoleField roles={roles} value={rootRole} onChange={(chosen) => edit({ rootRole: chosen })} />
        </>
      )}
    </NewDrawer>
  );
}
