import { Button, Fieldset, Group, MultiSelect, SegmentedControl, Select, Stack, TextInput } from "@mantine/core";
import { send } from "../../../api/client";
import type { Guard } from "../../../api/guards";
import { useExactRead, useGuards, useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { AtField } from "../../../parts/forms/AtField";
import { SavedForm } from "../../../parts/forms/SavedForm";
import { Problem } from "../../../parts/Problem";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";
import {
  blankRule,
  draftOf,
  mostGroups,
  mostRules,
  objectionsTo,
  objectionTo,
  rulesRequest,
  settingRules,
  type RuleDraft,
} from "./reviewers";

const draftsOf = ({ rules }: Schemas["ReviewerRules"]) => ({ rules: rules.map(draftOf) });

/** Groups whose approval change requests need, where they are on. */
export function Reviewers({ projectId }: Pick<OfProject, "projectId">) {
  const guards = useGuards(projectId).filter(({ changeRequestEnabled }) => changeRequestEnabled);
  return guards.map((guard) => <InEnvironment key={guard.environment} projectId={projectId} guard={guard} />);
}

function InEnvironment({ projectId, guard }: { projectId: string; guard: Guard }) {
  const { environment } = guard;
  const planned = rulesRequest(projectId, environment);
  const read = useExactRead(planned);
  if (read.error && !read.data) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return null;
  return (
    <SavedForm
      title={`Required reviewers in ${environment}`}
      className={classes.narrow}
      current={draftsOf(read.data)}
      version={read.version}
      plan={({ rules }) => settingRules(projectId, environment, rules)}
      reread={async () => {
        const fresh = await send(planned);
        return { data: draftsOf(fresh.data), version: fresh.version };
      }}
      events={{ type: "IS:change-request-configuration-updated", project: `IS:${projectId}` }}
      done={`The required reviewers in ${environment} are saved.`}
      objection={({ rules }) => objectionTo(rules)}
    >
      {({ rules }, change) => <Rules rules={rules} change={(changed) => change({ rules: changed })} />}
    </SavedForm>
  );
}

const abouts = [
  { value: "all", label: "All changes" },
  { value: "tag", label: "Flags with a tag" },
  { value: "name", label: "Flags by name" },
];

const needs = [
  { value: "any", label: "One of the groups" },
  { value: "each", label: "Each of the groups" },
];

interface RulesProps {
  rules: readonly RuleDraft[];
  change: (rules: RuleDraft[]) => void;
}

function Rules({ rules, change }: RulesProps) {
  const known = useRead(request("get", "/api/admin/user-admin/access"), { staleTime: 60_000 });
  const groups = known.data?.groups ?? [];
  const put = (at: number, changed: Partial<RuleDraft>) =>
    change(rules.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <>
      <p className="muted">
        Besides the number of approvals, somebody of these groups must approve. Members still need the permission to
        approve.
      </p>
      {rules.length === 0 && <span className="muted">No rule: the number of approvals decides alone.</span>}
      {rules.map((rule, at) => (
        <Fieldset key={at} legend={`Rule ${at + 1}`}>
          <Rule rule={rule} at={at} groups={groups} change={(changed) => put(at, changed)} />
          <Group justify="flex-end" mt="sm">
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => change(rules.filter((_, index) => index !== at))}
            >
              Remove<span className="visually-hidden"> rule {at + 1}</span>
            </Button>
          </Group>
        </Fieldset>
      ))}
      <Problem error={known.error} />
      <div>
        <Button
          variant="default"
          size="compact-sm"
          disabled={rules.length >= mostRules}
          onClick={() => change([...rules, blankRule])}
        >
          Add rule
        </Button>
      </div>
    </>
  );
}

interface RuleProps {
  rule: RuleDraft;
  at: number;
  groups: readonly Schemas["GroupOverview"][];
  change: (changed: Partial<RuleDraft>) => void;
}

function Rule({ rule, at, groups, change }: RuleProps) {
  const objections = objectionsTo(rule);
  const place = `rules/${at}`;
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const offered = [...new Set([...rule.groups, ...groups.map(({ id }) => id)])];
  return (
    <Stack gap="sm">
      <Select
        label="About"
        allowDeselect={false}
        data={abouts}
        value={rule.about}
        onChange={(about) => about && change({ about: about as RuleDraft["about"] })}
      />
      {rule.about === "tag" && (
        <AtField of={`${place}/tag`}>
          <TextInput
            label="Tag"
            description="Its owners are asked about the flags that have it, such as team:payments."
            required
            maxLength={512}
            spellCheck={false}
            error={rule.tag && objections.tag}
            value={rule.tag}
            onChange={(event) => change({ tag: event.currentTarget.value })}
          />
        </AtField>
      )}
      {rule.about === "name" && (
        <AtField of={`${place}/namePattern`}>
          <TextInput
            label="Pattern of names"
            description="A regular expression for the whole name, such as shop-.*"
            required
            maxLength={1000}
            spellCheck={false}
            error={rule.namePattern && objections.namePattern}
            value={rule.namePattern}
            onChange={(event) => change({ namePattern: event.currentTarget.value })}
          />
        </AtField>
      )}
      <AtField of={`${place}/groups`}>
        <MultiSelect
          label="Groups"
          required
          searchable
          limit={50}
          maxValues={mostGroups}
          data={offered.map((id) => ({ value: String(id), label: names.get(id) ?? `group ${id}` }))}
          value={rule.groups.map(String)}
          onChange={(ids) => change({ groups: ids.map(Number).sort((one, other) => one - other) })}
        />
      </AtField>
      {rule.groups.length > 1 && (
        <SegmentedControl
          aria-label={`Who must approve by rule ${at + 1}`}
          data={needs}
          value={rule.need}
          onChange={(need) => change({ need: need as RuleDraft["need"] })}
        />
      )}
    </Stack>
  );
}
