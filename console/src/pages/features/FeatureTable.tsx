import { Checkbox, UnstyledButton } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { request, type Schemas } from "../../api/request";
import { useAct } from "../../parts/act";
import { idOf } from "../../parts/bulk/tasks";
import { EnvironmentName, isProduction } from "../../parts/EnvironmentName";
import { Moment } from "../../parts/Moment";
import { Rows } from "../../parts/Rows";
import { tagInWords } from "../../parts/tags";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import classes from "./Features.module.css";

export type Found = Schemas["SearchFeature"];

interface Props {
  features: Found[];
  environments: { name: string; type: string }[];
  inProject: boolean;
  sortBy: string;
  sortOrder: "asc" | "desc";
  sort: (by: string) => void;
  selected: ReadonlyMap<string, Found>;
  select: (features: readonly Found[], on: boolean) => void;
  current: number;
  dimmed: boolean;
}

interface CellsProps extends Pick<Props, "environments" | "inProject" | "select"> {
  feature: Found;
  isSelected: boolean;
}

export function FeatureTable(props: Props) {
  const { features, environments, inProject, selected, select, current, dimmed } = props;
  const all = features.length > 0 && features.every((feature) => selected.has(idOf(feature)));
  const sortable = (by: string, label: React.ReactNode, className?: string) => (
    <th
      key={by}
      className={className}
      aria-sort={props.sortBy === by ? (props.sortOrder === "asc" ? "ascending" : "descending") : undefined}
    >
      <UnstyledButton className={classes.sort} onClick={() => props.sort(by)}>
        {label}
        <span aria-hidden>{props.sortBy === by ? (props.sortOrder === "asc" ? " ↑" : " ↓") : ""}</span>
      </UnstyledButton>
    </th>
  );
  return (
    <Rows
      label="Feature flags"
      count={features.length}
      columns={(inProject ? 6 : 7) + environments.length}
      keyOf={(index) => idOf(features[index]!)}
      current={current}
      dimmed={dimmed}
      row={(index) => {
        const feature = features[index]!;
        const isSelected = selected.has(idOf(feature));
        return <Cells {...{ feature, environments, inProject, isSelected, select }} />;
      }}
      head={
        <>
          <th>
            <Checkbox
              size="xs"
              aria-label="Select all on this page"
              checked={all}
              onChange={(event) => select(features, event.currentTarget.checked)}
            />
          </th>
          {sortable("name", "Name")}
          {!inProject && sortable("project", "Project", classes.wide)}
          {sortable("type", "Type", classes.wide)}
          <th className={classes.wide}>Stage</th>
          {sortable("createdAt", "Created", classes.wide)}
          {sortable("lastSeenAt", "Seen", classes.wide)}
          {environments.map(({ name, type }) =>
            sortable(`environment:${name}`, <EnvironmentName name={name} type={type} />),
          )}
        </>
      }
    />
  );
}

/** One row: drawn anew only when something in it changed, since lists are long and filters quick. */
const Cells = memo(function Cells({ feature, environments, inProject, isSelected, select }: CellsProps) {
  return (
    <>
      <td>
        <Checkbox
          size="xs"
          aria-label={`Select ${feature.name}`}
          checked={isSelected}
          onChange={(event) => select([feature], event.currentTarget.checked)}
        />
      </td>
      <td className={classes.name}>
        <Name feature={feature} />
      </td>
      {!inProject && (
        <td className={`${classes.wide} ${classes.project}`}>
          <bdi className="short" title={feature.project}>
            {feature.project}
          </bdi>
        </td>
      )}
      <td className={classes.wide}>{feature.type}</td>
      <td className={classes.wide}>{feature.lifecycle?.stage ?? "–"}</td>
      <td className={classes.wide}>
        <Moment at={feature.createdAt} />
      </td>
      <td className={classes.wide}>
        <Moment at={feature.lastSeenAt} />
      </td>
      {environments.map(({ name, type }) => {
        const here = feature.environments.find((environment) => environment.name === name);
        return (
          <td key={name} className={isProduction(type) ? "production" : undefined}>
            {here ? (
              <EnvironmentSwitch projectId={feature.project} featureName={feature.name} environment={here} />
            ) : (
              <NotHere />
            )}
          </td>
        );
      })}
    </>
  );
});

const NotHere = () => (
  <span className="muted" title="Not in this environment">
    –<span className="visually-hidden">not in this environment</span>
  </span>
);

function Name({ feature }: { feature: Found }) {
  const { name, project, description, stale, tags } = feature;
  return (
    <div className={classes.named}>
      <Favourite feature={feature} />
      <div className={classes.lines}>
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: project, featureName: name }}
          className={`breaks ${classes.link}`}
        >
          <bdi>{name}</bdi>
        </Link>
        {stale && <span className="chip warning">stale</span>}
        <div className={classes.second}>
          {(tags ?? []).slice(0, 2).map((tag) => (
            <span key={tagInWords(tag)} className={`chip ${classes.wide}`}>
              <bdi>{tagInWords(tag)}</bdi>
            </span>
          ))}
          {(tags?.length ?? 0) > 2 && (
            <span className={`chip ${classes.wide}`} title={tags?.map(tagInWords).join("\n")}>
              +{tags!.length - 2}
            </span>
          )}
          {description && (
            <span className={`muted ${classes.description}`} title={description}>
              <bdi>{description}</bdi>
            </span>
          )}
        </div>
      </div>
    </div>
  );
}

function Favourite({ feature: { project, name, favorite } }: { feature: Found }) {
  const { act, busy } = useAct();
  const path = { projectId: project, featureName: name };
  const to = "/api/admin/projects/{projectId}/features/{featureName}/favorites";
  const change = () =>
    act({
      request: favorite ? request("delete", to, { params: { path } }) : request("post", to, { params: { path } }),
    });
  const Icon = favorite ? IconStarFilled : IconStar;
  return (
    <UnstyledButton
      className={classes.star}
      aria-pressed={favorite}
      aria-label={`Favourite: ${name}`}
      disabled={busy}
      onClick={() => void change()}
    >
      <Icon size={16} aria-hidden />
    </UnstyledButton>
  );
}
