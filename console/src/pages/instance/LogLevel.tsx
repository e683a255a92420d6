import { Autocomplete, Select } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { Form } from "../../parts/forms/FormDrawer";
import { Moment } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";

const plan = (level: string, minutes: number) => request("put", "/api/admin/log-level", { body: { level, minutes } });
const back = request("delete", "/api/admin/log-level");

/** What is worth a while of more lines. */
const known = ["info,flagstone=debug", "info,flagstone::access=info", "info,flagstone::sql=trace"];
const whiles = [
  { value: "15", label: "15 minutes" },
  { value: "60", label: "1 hour" },
  { value: "240", label: "4 hours" },
  { value: "1440", label: "1 day" },
];

/** How much the log of all servers tells, for a while. */
export function LogLevel() {
  // What was set ends by itself, and others set it too.
  const read = useRead(request("get", "/api/admin/log-level"), { refetchInterval: 30_000 });
  const [level, setLevel] = useState("");
  const [minutes, setMinutes] = useState("60");
  const { act, busy, error } = useAct({ inline: true });
  const isSet = Boolean(read.data?.expiresAt);
  const planned = plan(level.trim(), Number(minutes));

  async function change() {
    const done = await act({
      request: planned,
      done: "The log level is changed for a while.",
      undo: isSet ? undefined : back,
    });
    if (done) setLevel("");
  }

  return (
    <section className="card" aria-label="Log">
      <h2>What the log tells</h2>
      <Problem error={read.error} />
      {read.data && (
        <p>
          <code className="breaks">{read.data.level}</code>
          {isSet ? (
            <>
              , until <Moment at={read.data.expiresAt} absolute />; then again{" "}
              <code className="breaks">{read.data.initialLevel}</code>
            </>
          ) : (
            ", as its servers were started"
          )}
          .
        </p>
      )}
      <Form
        request={planned}
        action="Change it"
        busy={busy}
        error={error}
        because={level.trim() === "" ? "No level is chosen yet." : undefined}
        onSubmit={() => void change()}
      >
        <Autocomplete
          label="Another level"
          description="For all servers: error, warn, info, debug or trace, also by part."
          data={known}
          maxLength={500}
          value={level}
          onChange={setLevel}
        />
        <Select
          label="For"
          data={whiles}
          value={minutes}
          allowDeselect={false}
          onChange={(value) => value && setMinutes(value)}
        />
      </Form>
      {isSet && (
        <ActionButton
          request={back}
          variant="default"
          loading={busy}
          onClick={() => void act({ request: back, done: "The log level is as it was before." })}
        >
          Put it back
        </ActionButton>
      )}
    </section>
  );
}
