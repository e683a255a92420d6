import { Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { memo, type CSSProperties } from "react";
import { environmentOption, isProduction } from "../../parts/EnvironmentName";
import { Favourite } from "../../parts/Favourite";
import { Changed } from "../../parts/live/Changed";
import { Moment } from "../../parts/Moment";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import { tagInWords } from "../../parts/tags";
import type { Column } from "./Columns";
import type { Found } from "./query";
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
          disabled={feature.archived}
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
            {here && !feature.archived ? (
              <EnvironmentSwitch projectId={feature.project} featureName={feature.name} environment={here} />
            ) : (
              <NotHere words={feature.archived ? "Archived" : "Not in this environment"} />
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

const NotHere = ({ words }: { words: string }) => (
  <span className="muted" title={words}>
    –<span className="visually-hidden">{words.toLowerCase()}</span>
  </span>
);

function Name({ feature }: { feature: Found }) {
  const { name, project, description, stale, tags, archived } = feature;
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
      {archived && (
        <Link
          to="/projects/$projectId/$tab"
          params={{ projectId: project, tab: "archive" }}
          className={`chip ${classes.stale}`}
        >
          archived
        </Link>
      )}
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
