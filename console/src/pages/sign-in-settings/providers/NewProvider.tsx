import { Radio, TextInput, Title } from "@mantine/core";
import { AtField } from "../../../parts/forms/AtField";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { useInstance } from "../../../api/queries";
import { Needs } from "../Needs";
import { Trial } from "../Trial";
import { addressesOf, needsOf } from "./addresses";
import {
  idFor,
  missing,
  missingToTry,
  noRules,
  planCreate,
  planOutcome,
  planTrial,
  valueOf,
  type Draft,
} from "./draft";
import { kindNames, kinds, type Kind } from "./kinds";
import { ButtonFields, ConnectionFields, RuleFields } from "./ProviderFields";
import { idPattern, longestId } from "./settings";
import classes from "./NewProvider.module.css";

interface NewDraft extends Draft {
  kind: Kind;
  /** Follows the label until it is typed. */
  id?: string;
}

const ofProtocol = (kind: Kind) => kind === "oidc" || kind === "saml";

const initial: NewDraft = {
  kind: "oidc",
  label: "",
  icon: kinds.oidc.icon,
  enabled: true,
  settings: {},
  rules: noRules,
};

const idOf = ({ id, label }: NewDraft) => id ?? idFor(label);

/** What asks for the permission, before anything is filled in. */
export const creation = (draft = initial) => planCreate(idOf(draft), draft.kind, draft);

/** What a trial lacks of the id, which is in the address of the call. */
const missingOfId = (id: string) =>
  idPattern.test(id) ? [] : [id === "" ? "Id" : "Id of lowercase letters, digits and, between them, -"];

/** Another kind brings its own icon, and its name as the label where none was typed. */
function ofKind(draft: NewDraft, kind: Kind): Partial<NewDraft> {
  const before = ofProtocol(draft.kind) ? "" : kinds[draft.kind].name;
  const label = ofProtocol(kind) ? "" : kinds[kind].name;
  return {
    kind,
    icon: draft.icon === kinds[draft.kind].icon ? kinds[kind].icon : draft.icon,
    ...(draft.label === before && { label }),
  };
}

interface Props {
  roles: readonly { id: number; name: string }[];
  onClose: () => void;
}

/** Creates a login provider: first its kind, then what that needs. */
export function NewProvider({ roles, onClose }: Props) {
  const base = useInstance()?.unleashUrl ?? "";
  return (
    <NewDrawer
      title="New login provider"
      size="lg"
      initial={initial}
      plan={creation}
      action={({ label }) => `Create ${label.trim() || "it"}`}
      done={({ label, enabled }) =>
        enabled ? `The login provider ${label.trim()} was created.` : `${label.trim()} was created, and is not in use.`
      }
      objection={(draft) => {
        const lacking = [...missing(draft.kind, draft), ...(idOf(draft) ? [] : ["Id"])];
        return lacking.length > 0 ? `It needs: ${lacking.join(", ")}.` : undefined;
      }}
      onClose={onClose}
    >
      {(draft, change, acting) => (
        <>
          <AtField of="kind">
            <Radio.Group
              label="Kind"
              description="It cannot be changed later."
              value={draft.kind}
              onChange={(kind) => change(ofKind(draft, kind))}
            >
              <div className={classes.kinds}>
                {kindNames.map((kind) => (
                  <Radio key={kind} value={kind} label={kinds[kind].name} />
                ))}
              </div>
            </Radio.Group>
          </AtField>
          <ButtonFields draft={draft} change={change} />
          <AtField of="id" use={(id) => change({ id })}>
            <TextInput
              label="Id"
              description="Part of its addresses. It cannot be changed later."
              required
              maxLength={longestId}
              spellCheck={false}
              autoCapitalize="none"
              classNames={{ input: "mono" }}
              value={idOf(draft)}
              onChange={(event) => change({ id: event.currentTarget.value })}
            />
          </AtField>
          <section aria-label="What the provider needs">
            <Title order={3} mb="sm">
              What the provider needs
            </Title>
            <Needs
              needs={needsOf(addressesOf(base, idOf(draft) || "…", draft.kind, String(valueOf(draft, "spEntityId"))))}
            />
          </section>
          <ConnectionFields kind={draft.kind} draft={draft} roles={roles} change={change} />
          <RuleFields draft={draft} roles={roles} change={change} />
          <Trial
            request={planTrial(idOf(draft) || "ID", draft.kind, draft)}
            planOutcome={(trialId) => planOutcome(idOf(draft), trialId)}
            lacking={[...missingToTry(draft.kind, draft), ...missingOfId(idOf(draft))]}
            acting={acting}
          />
        </>
      )}
    </NewDrawer>
  );
}
