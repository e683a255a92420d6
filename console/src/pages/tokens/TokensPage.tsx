import { Group, Select } from "@mantine/core";
import { useState } from "react";
import { serverTime } from "../../api/clock";
import { useEnvironments, useMe, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import areaClasses from "../../parts/area/Area.module.css";
import { Listing, type Column } from "../../parts/area/Listing";
import { SearchField, holds } from "../../parts/area/SearchField";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { useKeys } from "../../parts/keys";
import { Moment } from "../../parts/Moment";
import { SecretOnce } from "../../parts/SecretOnce";
import { ChangeExpiry } from "./ChangeExpiry";
import { NewToken } from "./NewToken";
import {
  ending,
  inOrder,
  isUnused,
  kinds,
  permissionFor,
  placeOf,
  planExpiry,
  planNew,
  planRemoval,
  type Token,
} from "./tokens";

/** The tokens by which programs come in: made, given another end, deleted. */
export default function TokensPage() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/api-tokens"));
  const types = new Map(useEnvironments().map(({ name, type }) => [name, type]));
  const held = useMe()?.permissions ?? [];
  // Only here: no query, no storage and no address ever holds it.
  const [made, setMade] = useState<Token>();
  const [now] = useState(() => serverTime());
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New token", run: () => open("true") } });

  const kind = get("kind");
  const all = read.data?.tokens ?? [];
  const tokens = inOrder(all, now).filter(
    (token) => (!kind || token.type === kind) && holds(get("query"), token.tokenName, token.environment, token.project),
  );
  const edited = all.find((token) => placeOf(token) === get("token"));
  const mayRead = held.some(({ permission }) =>
    ["ADMIN", permissionFor("READ", "client"), permissionFor("READ", "frontend")].includes(permission),
  );
  const example = planNew({ tokenName: "…", type: "client", environment: "…", projects: ["…"], expiresAt: null });

  const columns: Column<Token>[] = [
    { head: "Name", cell: (token) => <Name token={token} now={now} /> },
    { head: "Type", cell: ({ type }) => kinds[type].label },
    {
      head: "Environment",
      cell: ({ environment }) =>
        environment === "*" ? (
          "all"
        ) : (
          <div className={areaClasses.room}>
            <EnvironmentName name={environment} type={types.get(environment)} />
          </div>
        ),
    },
    { head: "Projects", wide: true, cell: ({ projects }) => (projects.includes("*") ? "all" : projects.join(", ")) },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { head: "Last seen", cell: ({ seenAt }) => <Moment at={seenAt} /> },
    { head: "Expires", wide: true, cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    {
      head: <span className="visually-hidden">Actions</span>,
      cell: (token) => (
        <Group gap={6}>
          <ActionButton
            request={planExpiry(token, null)}
            size="compact-xs"
            variant="default"
            onClick={() => change({ token: placeOf(token) })}
          >
            Expiry …<span className="visually-hidden"> of {token.tokenName}</span>
          </ActionButton>
          <RemoveButton
            compact
            what="token"
            name={token.tokenName}
            request={planRemoval(token)}
            consequence={<Consequence token={token} />}
          />
        </Group>
      ),
    },
  ];

  return (
    <Area
      title="API tokens"
      fills
      action={
        <ActionButton
          request={{ ...example, operation: { ...example.operation, needs: anyKind } }}
          onClick={() => open("true")}
        >
          New token
        </ActionButton>
      }
    >
      <Group gap="sm" role="search" aria-label="API tokens">
        <SearchField label="Name, project or environment" />
        <Select
          aria-label="Type"
          placeholder="All types"
          size="xs"
          w={160}
          clearable
          clearButtonProps={{ "aria-label": "All types" }}
          data={Object.entries(kinds).map(([value, { label }]) => ({ value, label }))}
          value={kind ?? null}
          onChange={(value) => change({ kind: value ?? undefined })}
        />
        <span className="muted">Tokens that were not used for 90 days come first.</span>
      </Group>
      <Listing
        label="API tokens"
        read={read}
        items={tokens}
        keyOf={({ secret }) => secret}
        columns={columns}
        open={(token) => change({ token: placeOf(token) })}
        empty={
          all.length > 0
            ? "No token fits what is searched for."
            : mayRead
              ? "There is no token yet. An application needs one to ask what is on."
              : "There is nothing that you may see: reading tokens needs READ_CLIENT_API_TOKEN or READ_FRONTEND_API_TOKEN. Ask an administrator."
        }
      />
      {get("new") !== undefined && (
        <NewToken
          onClose={() => open(undefined)}
          onMade={(token) => {
            setMade(token);
            open(undefined);
          }}
        />
      )}
      {edited && <ChangeExpiry token={edited} onClose={() => change({ token: undefined })} />}
      {made && (
        <SecretOnce
          title={`The token ${made.tokenName} was created`}
          secret={made.secret}
          onClose={() => setMade(undefined)}
        >
          Give it to the application, as its <code>Authorization</code> header or the setting of its SDK that is called
          so. {kinds[made.type].about}
        </SecretOnce>
      )}
    </Area>
  );
}

const anyKind = [permissionFor("CREATE", "client"), permissionFor("CREATE", "frontend")].map((permission) => ({
  permission,
  scope: "root" as const,
}));

function Name({ token, now }: { token: Token; now: number }) {
  const state = ending(token, now);
  return (
    <>
      <bdi className="breaks">{token.tokenName}</bdi>
      {isUnused(token, now) && <span className="chip warning">not used for 90 days</span>}
      {state === "ended" && <span className="chip danger">ended</span>}
      {state === "soon" && <span className="chip warning">ends within a week</span>}
    </>
  );
}

function Consequence({ token }: { token: Token }) {
  return (
    <>
      Requests with it are refused from now on.{" "}
      {token.seenAt ? (
        <>
          It was last used <Moment at={token.seenAt} />.
        </>
      ) : (
        "Nothing is known to have used it."
      )}
    </>
  );
}
