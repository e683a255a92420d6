import { Text, Title } from "@mantine/core";
import { useExactRead } from "../../../api/queries";
import { useAct } from "../../../parts/act";
import areaClasses from "../../../parts/area/Area.module.css";
import { confirm } from "../../../parts/confirm";
import { merged } from "../../../parts/conflict/merge";
import { useDraft } from "../../../parts/forms/useDraft";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { Moment } from "../../../parts/Moment";
import { tellFailure } from "../../../parts/notices";
import { Unread } from "../../../parts/Unread";
import { Differences } from "../Differences";
import { MetadataFollowing } from "../MetadataFollowing";
import { Needs } from "../Needs";
import { Trial } from "../Trial";
import { needsOf } from "./addresses";
import {
  differences,
  draftOf,
  freshDraft,
  missing,
  missingToTry,
  planOutcome,
  planRead,
  planTrial,
  planUpdate,
  type Draft,
} from "./draft";
import { kinds, type Provider } from "./kinds";
import { ButtonFields, ConnectionFields, RuleFields } from "./ProviderFields";

interface Props {
  id: string;
  roles: readonly { id: number; name: string }[];
  onClose: () => void;
}

/** One login provider: its addresses, and what can be changed of it. */
export function ProviderDrawer({ id, roles, onClose }: Props) {
  const read = useExactRead(planRead(id));
  return (
    <FormDrawer title="Login provider" size="lg" onClose={onClose}>
      {read.data ? <Editor provider={read.data} roles={roles} onClose={onClose} /> : <Unread read={read} rows={12} />}
    </FormDrawer>
  );
}

function Editor({ provider, roles, onClose }: Omit<Props, "id"> & { provider: Provider }) {
  const { id, kind, addresses, createdAt, updatedAt } = provider;
  const { start, draft, isChanged, change } = useDraft(draftOf(provider));
  const acting = useAct({ inline: true });
  const lacking = missing(kind, draft);

  async function save() {
    let fresh;
    try {
      fresh = await freshDraft(id);
    } catch (failure) {
      return tellFailure(failure);
    }
    const wanted = merged(start, fresh, draft, {}) as Draft;
    const isEnding = fresh.enabled && !wanted.enabled;
    const isSure = await confirm({
      title: "What saving changes",
      action: "Save",
      danger: isEnding,
      requests: [planUpdate(id, kind, wanted)],
      consequence: (
        <>
          <Differences mine={differences(kind, fresh, wanted, roles)} theirs={differences(kind, start, fresh, roles)} />
          {isEnding && endsSessions}
        </>
      ),
    });
    if (!isSure) return;
    const done = await acting.act({ request: planUpdate(id, kind, wanted), done: "The login provider is saved." });
    if (done) onClose();
  }

  return (
    <>
      <Text size="sm" className="muted breaks" mb="sm">
        {kinds[kind].name}, <span className="mono">{id}</span>, created <Moment at={createdAt} />, last changed{" "}
        <Moment at={updatedAt} />
      </Text>
      <section aria-label="What the provider needs">
        <Title order={3} mb="sm">
          What the provider needs
        </Title>
        <Needs needs={needsOf(addresses)} />
      </section>
      <div className={areaClasses.section}>
        <Form
          request={planUpdate(id, kind, draft)}
          action="Save …"
          busy={acting.busy}
          error={acting.error}
          because={
            !isChanged ? "Nothing is changed yet." : lacking.length > 0 ? `It needs: ${lacking.join(", ")}.` : undefined
          }
          isChanged={isChanged}
          onSubmit={() => void save()}
          onCancel={onClose}
        >
          <ButtonFields draft={draft} change={change} />
          <ConnectionFields kind={kind} draft={draft} roles={roles} change={change} />
          <RuleFields draft={draft} roles={roles} change={change} />
          <Trial
            request={planTrial(id, kind, draft)}
            planOutcome={(trialId) => planOutcome(id, trialId)}
            lacking={missingToTry(kind, draft)}
            acting={acting}
          />
        </Form>
      </div>
      {kind === "saml" && <MetadataFollowing providerId={id} isInUse={provider.enabled} />}
    </>
  );
}

/** What ends when a provider is switched off or deleted. */
export const endsSessions = "Whoever came in through it is signed out. Personal tokens stay.";
