import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAddress } from "../../parts/address";
import { Listing, type Column } from "../../parts/area/Listing";
import { saveAsCsv } from "../../parts/csv";
import { Moment, WithMoments, Zone } from "../../parts/Moment";
import { tellFailure } from "../../parts/notices";
import { signInMethods } from "../../parts/signInMethods";

type Entry = Schemas["SignInLogEntry"];

const outcomes: Record<Entry["outcome"], string> = {
  "signed-in": "signed in",
  refused: "refused",
  "signed-out": "signed out",
  "sign-out-refused": "signing out refused",
  "link-made": "link created",
  linked: "linked to the user",
  "groups-left": "left groups",
};

/** How each attempt that is kept ended, found by the id that a browser was shown. */
export default function Log() {
  const { get, change } = useAddress();
  const errorId = get("errorId");
  const before = get("before");
  const read = useRead(
    request("get", "/api/admin/auth/sign-ins", {
      params: { query: { errorId: errorId || undefined, before: before ? Number(before) : undefined } },
    }),
  );
  const entries = read.data?.signIns ?? [];
  const columns: Column<Entry>[] = [
    {
      head: (
        <>
          When <Zone />
        </>
      ),
      cell: ({ createdAt }) => <Moment at={createdAt} absolute />,
    },
    {
      head: "Who",
      cell: ({ subject, userId }) => <bdi className="breaks">{subject ?? (userId ? `user ${userId}` : "–")}</bdi>,
    },
    { head: "How", wide: true, cell: ({ method }) => signInMethods[method] },
    { head: "Outcome", cell: (entry) => <Ended entry={entry} /> },
    { head: "From", wide: true, cell: ({ address }) => <span className="figures">{address ?? "–"}</span> },
    { head: "Error id", wide: true, cell: ({ errorId: id }) => <span className="mono breaks">{id ?? "–"}</span> },
  ];
  return (
    <>
      <Group gap="sm" role="search" aria-label="Sign-ins">
        <TextInput
          type="search"
          size="xs"
          w={320}
          aria-label="Error id that the browser showed"
          placeholder="Error id that the browser showed"
          value={errorId ?? ""}
          onChange={(event) => change({ errorId: event.currentTarget.value.trim() || undefined, before: undefined })}
        />
        <span className="muted">No secret, code or token is kept.</span>
        <SaveAll />
      </Group>
      <Listing
        label="Sign-ins"
        read={read}
        items={entries}
        keyOf={({ id }) => String(id)}
        columns={columns}
        empty={errorId ? "No attempt that is kept has that id." : "Nobody tried as far back as the server keeps it."}
      />
      <Group gap="sm" justify="flex-end">
        <Button variant="default" size="compact-sm" disabled={!before} onClick={() => change({ before: undefined })}>
          Newest
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          disabled={entries.length < 100}
          onClick={() => change({ before: String(entries.at(-1)?.id) })}
        >
          Older
        </Button>
      </Group>
    </>
  );
}

/** The newest 1000 attempts as a table. */
function SaveAll() {
  const [busy, setBusy] = useState(false);

  async function save() {
    setBusy(true);
    try {
      const { data } = await send(request("get", "/api/admin/logins"));
      const rows = data.events.map((event) => [
        event.created_at,
        event.username,
        event.auth_type,
        event.successful ? "signed in" : "refused",
        event.ip ?? "",
        event.failure_reason ?? "",
      ]);
      saveAsCsv("sign-ins", [["when", "who", "how", "outcome", "from", "reason"], ...rows]);
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button variant="default" size="compact-sm" loading={busy} onClick={() => void save()}>
      Save the newest 1000 as CSV
    </Button>
  );
}

function Ended({ entry: { outcome, reason, explanation, expected, found, attempts } }: { entry: Entry }) {
  const isBad = outcome === "refused" || outcome === "sign-out-refused";
  return (
    <>
      <span className={isBad ? "danger" : undefined}>
        {isBad && <span aria-hidden>✗ </span>}
        {outcomes[outcome]}
        {attempts > 1 && ` × ${attempts}`}
      </span>
      {(explanation || reason) && (
        <div className="muted breaks">
          {explanation ?? reason}
          {expected && (
            <>
              {" "}
              Expected: <WithMoments text={expected} />.
            </>
          )}
          {found && (
            <>
              {" "}
              Found: <WithMoments text={found} />.
            </>
          )}
        </div>
      )}
    </>
  );
}
