import { Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAddress } from "../../../parts/address";
import { Area } from "../../../parts/area/Area";
import { Listing, type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { SearchField, holds } from "../../../parts/area/SearchField";
import { useKeys } from "../../../parts/keys";
import { Moment } from "../../../parts/Moment";
import { nameOf, peopleTabs } from "../../../parts/people";
import { NewServiceAccount, planAccount } from "./NewServiceAccount";
import { ServiceAccountDrawer } from "./ServiceAccountDrawer";

type Account = Schemas["ServiceAccount"];

/** When any of its tokens was last used. */
const lastUsed = ({ tokens }: Account) =>
  tokens
    .map(({ seenAt }) => seenAt)
    .filter((seenAt) => seenAt !== null)
    .sort()
    .at(-1);

/** Programs that have a role and tokens of their own, and never sign in. */
export function ServiceAccounts() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/service-account"));
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New service account", run: () => open("true") } });

  const all = read.data?.serviceAccounts ?? [];
  const roles = new Map((read.data?.rootRoles ?? []).map(({ id, name }) => [id, name]));
  const accounts = all
    .filter((account) => holds(get("query"), account.name, account.username))
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const shown = all.find(({ id }) => String(id) === get("account"));

  const columns: Column<Account>[] = [
    {
      head: "Name",
      cell: (account) => <OpenRow name={nameOf(account)} onClick={() => change({ account: String(account.id) })} />,
    },
    { head: "User name", wide: true, cell: ({ username }) => <bdi className="breaks">{username ?? "–"}</bdi> },
    { head: "Role", cell: ({ rootRole }) => roles.get(rootRole) ?? "–" },
    { head: "API tokens", cell: ({ tokens }) => <span className="figures">{tokens.length}</span> },
    { head: "Last used", cell: (account) => <Moment at={lastUsed(account)} /> },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      head: <span className="visually-hidden">Event log</span>,
      wide: true,
      cell: ({ id, username }) => (
        <Link to="/history" search={{ createdBy: `IS:${id}` } as never}>
          What did <bdi>{username}</bdi> do?
        </Link>
      ),
    },
  ];

  return (
    <Area
      title="Service accounts"
      tabs={peopleTabs}
      fills
      action={
        <ActionButton request={planAccount({ name: "…", username: "…", rootRole: "" })} onClick={() => open("true")}>
          New service account
        </ActionButton>
      }
    >
      <Group gap="sm" role="search" aria-label="Service accounts">
        <SearchField label="Name" />
        <span className="muted">
          Applications that do what people do, by tokens of their own. None of them signs in.
        </span>
      </Group>
      <Listing
        label="Service accounts"
        read={read}
        items={accounts}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={({ id }) => change({ account: String(id) })}
        empty={all.length > 0 ? "None fits what is searched for." : "No application has an account of its own."}
      />
      {get("new") !== undefined && (
        <NewServiceAccount
          roles={read.data?.rootRoles ?? []}
          onClose={() => open(undefined)}
          onMade={({ id }) => change({ new: undefined, account: String(id) })}
        />
      )}
      {shown && (
        <ServiceAccountDrawer
          key={shown.id}
          account={shown}
          roles={read.data?.rootRoles ?? []}
          onClose={() => change({ account: undefined })}
        />
      )}
    </Area>
  );
}
