import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { providerOf, readAccessRequests, type AccessRequest } from "../../../parts/accessRequests";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { useAddress } from "../../../parts/address";
import { Area } from "../../../parts/area/Area";
import { Listing, type Column } from "../../../parts/area/Listing";
import areaClasses from "../../../parts/area/Area.module.css";
import { confirm } from "../../../parts/confirm";
import { Moment } from "../../../parts/Moment";
import { peopleTabs, useRootRoles } from "../../../parts/people";
import { readProviders } from "../../../parts/providers";
import { Approval, planApproval } from "./Approval";

/** People whom a login provider vouches for, who have no account and ask for one. */
export function AccessRequests() {
  const { get, change } = useAddress();
  const read = useRead(readAccessRequests);
  const providers = useRead(readProviders).data?.providers ?? [];
  const roles = useRootRoles();
  const requests = read.data?.userAccessRequests ?? [];
  const named = (one: AccessRequest) => providerOf(one, providers);
  const open = ({ id }: AccessRequest) => change({ approve: String(id) });
  const close = () => change({ approve: undefined });
  const id = get("approve");

  const columns: Column<AccessRequest>[] = [
    { head: "Email", cell: ({ email }) => <bdi className="breaks">{email}</bdi> },
    { head: "Name", cell: ({ name }) => <bdi className="breaks">{name ?? "–"}</bdi> },
    { head: "Login provider", cell: (one) => <bdi className="breaks">{named(one)}</bdi> },
    { head: "Asked", cell: ({ requestedAt }) => <Moment at={requestedAt} /> },
    { head: "Last asked", wide: true, cell: ({ lastRequestedAt }) => <Moment at={lastRequestedAt} /> },
    { head: "Ends", cell: ({ endsAt }) => <Moment at={endsAt} /> },
    {
      head: <span className="visually-hidden">Actions</span>,
      cell: (one) => <Actions asked={one} provider={named(one)} onApprove={() => open(one)} />,
    },
  ];

  return (
    <Area title="Access requests" tabs={peopleTabs} fills>
      <Text size="sm" className="muted">
        People without an account who signed in through a login provider, oldest first. A request ends 30 days after
        they last signed in.
      </Text>
      <Listing
        label="Access requests"
        read={read}
        items={requests}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={open}
        empty={
          <>
            Nobody waits for access. People without an account ask for it by signing in, where that is switched on: in
            the{" "}
            <Link to="/settings/sign-in/$tab" params={{ tab: "policy" }}>
              policy
            </Link>{" "}
            for OpenID Connect and SAML, and in the rules of each of the other{" "}
            <Link to="/settings/sign-in/$tab" params={{ tab: "providers" }}>
              login providers
            </Link>
            .
          </>
        }
      />
      {id !== undefined && read.data && roles.length > 0 && (
        <Approval
          key={id}
          asked={requests.find((one) => String(one.id) === id)}
          nameProvider={named}
          roles={roles}
          onClose={close}
        />
      )}
    </Area>
  );
}

interface ActionProps {
  asked: AccessRequest;
  provider: string;
  onApprove: () => void;
}

function Actions({ asked: { id, email }, provider, onApprove }: ActionProps) {
  const { act, busy } = useAct();
  const rejection = request("delete", "/api/admin/user-access-requests/{requestId}", {
    params: { path: { requestId: id } },
  });

  async function reject() {
    const isSure = await confirm({
      title: `Reject the request of ${email}`,
      action: "Reject it",
      danger: true,
      requests: [rejection],
      consequence: (
        <>
          <bdi>{email}</bdi> is told nothing. For 30 days this identity at <bdi>{provider}</bdi> cannot sign in or ask
          again, also not with another email. If you change your mind, create the user in <em>Users</em>.
        </>
      ),
    });
    if (isSure) await act({ request: rejection, done: `The request of ${email} is rejected.` });
  }

  const about = (
    <span className="visually-hidden">
      {" "}
      {email}, {provider}
    </span>
  );
  return (
    <div className={areaClasses.actions}>
      <ActionButton size="compact-xs" request={planApproval(id, "")} onClick={onApprove}>
        Approve …{about}
      </ActionButton>
      <ActionButton
        size="compact-xs"
        color="red"
        variant="outline"
        request={rejection}
        loading={busy}
        onClick={() => void reject()}
      >
        Reject …{about}
      </ActionButton>
    </div>
  );
}
