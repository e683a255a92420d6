import { SegmentedControl, Stack } from "@mantine/core";
import { useAddress } from "../../parts/address";
import areaClasses from "../../parts/area/Area.module.css";
import { EditForm } from "../../parts/forms/EditDrawer";
import { FormDrawer } from "../../parts/forms/FormDrawer";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { Fields } from "./Fields";
import {
  draftOf,
  objection,
  planChange,
  planRead,
  planRemoval,
  replacesSecret,
  type Draft,
  type Provider,
} from "./integrations";
import { Log } from "./Log";
import { Trial } from "./Trial";

interface Props {
  id: number;
  name: string;
  provider: Provider | undefined;
  onClose: () => void;
}

/** One integration: its settings, and what became of what it was told. */
export function IntegrationDrawer({ id, name, provider, onClose }: Props) {
  const { get, change } = useAddress();
  const isLog = get("tab") === "log";
  return (
    <FormDrawer title={name} size="lg" onClose={onClose}>
      <Stack gap="md">
        <SegmentedControl
          aria-label="What to show of it"
          data={[
            { value: "settings", label: "Settings" },
            { value: "log", label: "Log" },
          ]}
          value={isLog ? "log" : "settings"}
          onChange={(tab) => change({ tab: tab === "log" ? tab : undefined })}
        />
        {/* Kept while the log is looked at, with what was typed. */}
        <div hidden={isLog}>
          <EditForm
            read={planRead(id)}
            valuesOf={draftOf}
            plan={(draft: Draft) => planChange(id, draft, provider)}
            events={{ type: "IS:addon-config-updated" }}
            done="The integration is saved."
            objection={(draft) => objection(draft, provider)}
            isLasting={replacesSecret}
            onClose={onClose}
            stays
            below={() => (
              <>
                <Trial id={id} />
                <section className={areaClasses.section} aria-label="Delete">
                  <RemoveButton
                    what="integration"
                    name={name}
                    request={planRemoval(id)}
                    seen={planRead(id)}
                    consequence="Nothing more is delivered to it, also of what happened before. Its log goes with it."
                    onRemoved={onClose}
                  />
                </section>
              </>
            )}
          >
            {(draft, edit, _, error) =>
              provider && <Fields provider={provider} draft={draft} error={error} change={edit} />
            }
          </EditForm>
        </div>
        {isLog && <Log id={id} />}
      </Stack>
    </FormDrawer>
  );
}
