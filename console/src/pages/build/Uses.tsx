import { List, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useExactRead } from "../../api/queries";
import type { Planned, Schemas } from "../../api/request";
import areaClasses from "../../parts/area/Area.module.css";
import { Unread } from "../../parts/Unread";
import { featuresOf } from "./uses";

const shown = 50;

/** The features whose strategies use something, each with the environments where they do. */
export function Uses({ read: planned }: { read: Planned<{ strategies: Schemas["StrategyUse"][] }> }) {
  const read = useExactRead(planned);
  const features = featuresOf(read.data?.strategies ?? []);
  return (
    <section className={areaClasses.section} aria-label="Used by">
      <Title order={3}>Used by</Title>
      {!read.data ? (
        <Unread read={read} rows={2} />
      ) : features.length === 0 ? (
        <Text size="sm">No flag that you may see.</Text>
      ) : (
        <List size="sm" mt="sm">
          {features.slice(0, shown).map(({ project, feature, environments }) => (
            <List.Item key={`${project}/${feature}`} className="breaks">
              <Link
                to="/projects/$projectId/features/$featureName"
                params={{ projectId: project, featureName: feature }}
              >
                <bdi>{feature}</bdi>
              </Link>{" "}
              of <bdi>{project}</bdi>, in {environments.join(", ")}
            </List.Item>
          ))}
          {features.length > shown && <List.Item>{features.length - shown} more</List.Item>}
        </List>
      )}
    </section>
  );
}
