import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { confirm } from "../../parts/confirm";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";

const plan = (enabled: boolean) => request("post", "/api/admin/maintenance", { body: { enabled } });

/** Lets nobody change anything for a while. */
export function Maintenance() {
  const read = useRead(request("get", "/api/admin/maintenance"));
  const { act, busy, error } = useAct({ inline: true });
  const isOn = read.data?.enabled ?? false;

  async function change() {
    const isSure =
      isOn ||
      (await confirm({
        title: "Begin maintenance",
        action: "Begin maintenance",
        danger: true,
        requests: [plan(true)],
        consequence:
          "Nobody can change anything until it ends, administrators neither. Signing in goes on, and applications are told what is on as before.",
      }));
    if (isSure)
      await act({
        request: plan(!isOn),
        done: isOn ? "Maintenance is over." : "Under maintenance.",
        undo: plan(isOn),
      });
  }

  return (
    <section className="card" aria-label="Maintenance">
      <h2>Maintenance</h2>
      <Problem error={read.error ?? error} />
      {read.data && (
        <p>
          {isOn ? "Under maintenance: nobody can change anything." : "Off. While it is on, every change is refused."}
        </p>
      )}
      <RequestPreview requests={[plan(!isOn)]} />
      <ActionButton
        request={plan(!isOn)}
        loading={busy}
        because={read.data ? undefined : "It is not known yet whether it is on."}
        variant={isOn ? "filled" : "default"}
        onClick={() => void change()}
      >
        {isOn ? "End maintenance" : "Begin maintenance …"}
      </ActionButton>
    </section>
  );
}
