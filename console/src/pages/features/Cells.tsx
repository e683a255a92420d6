import { Checkbox, UnstyledButton } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo, type CSSProperties } from "react";
import { request } from "../../api/request";
import { useAct } from "../../parts/act";
import { environmentOption, isProduction } from "../../parts/EnvironmentName";
import { Changed } from "../../parts/live/Changed";
import { Moment } from "../../parts/Moment";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import { tagInWords } from "../../parts/tags";
import type { Column } from "./Columns";
import type { Found } from "./FeatureTable";
import classes from "./Features.module.css";

interface Environment {
  name: string;
  type: string;
}

interface Props {
  feature: Found;
  environments: readonly Environment[];
  columns: readonly Column[];
  isSelected: boolean;
  select: (features: readonly Found[], on: boolean) => void;
}

/** Columns of production stay in sight, each left of those after it. */
export function pinOf(environments: readonly Environment[], at: number): CSSProperties | undefined {
  if (!isProduction(environments[at]?.type)) return undefined;
  return { "--pin": environments.length - 1 - at } as CSSProperties;
}

/** One row: drawn anew only when something in it changed, since lists are long and filters quick. */
export const Cells = memo(function Cells({ feature, environments, columns, isSelected, select }: Props) {
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
      {columns.map((column) => (
        <td key={column} className={classes.wide}>
          {contents[column](feature)}
        </td>
      ))}
      {environments.map(({ name, type }, at) => {
        const here = feature.environments.find((environment) => environment.name === name);
        return (
          <td
            key={name}
            data-label={environmentOption({ name, type }).label}
            className={`${classes.environment} ${isProduction(type) ? `production ${classes.pinned}` : ""}`}
            style={pinOf(environments, at)}
          >
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

const contents: Record<Column, (feature: Found) => React.ReactNode> = {
  project: ({ project }) => (
    <bdi className="short" title={project}>
      {project}
    </bdi>
  ),
  type: ({ type }) => type,
  lifecycle: ({ lifecycle }) => lifecycle?.stage ?? "–",
  tags: ({ tags }) => {
    const texts = (tags ?? []).map(tagInWords).join(", ");
    return (
      <bdi className="short" title={texts}>
        {texts || "–"}
      </bdi>
    );
  },
  createdAt: ({ createdAt }) => <Moment at={createdAt} />,
  createdBy: ({ createdBy }) => (
    <bdi className="short" title={createdBy.name}>
      {createdBy.name}
    </bdi>
  ),
  lastSeenAt: ({ lastSeenAt }) => <Moment at={lastSeenAt} />,
};

const NotHere = () => (
  <span className="muted" title="Not in this environment">
    –<span className="visually-hidden">not in this environment</span>
  </span>
);

function Name({ feature }: { feature: Found }) {
  const { name, project, description, stale, tags } = feature;
  const all = [name, description, (tags ?? []).map(tagInWords).join(", ")].filter(Boolean).join("\n");
  return (
    <div className={classes.named}>
      <Favourite feature={feature} />
      <Link
        to="/projects/$projectId/features/$featureName"
        params={{ projectId: project, featureName: name }}
        className={classes.link}
        title={all}
      >
        <bdi>{name}</bdi>
      </Link>
      {stale && <span className={`chip warning ${classes.stale}`}>stale</span>}
      <Changed project={project} name={name} />
      {description && (
        <span className={`muted ${classes.description}`} title={description}>
          <bdi>{description}</bdi>
        </span>
      )}
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
