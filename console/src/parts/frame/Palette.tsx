import "@mantine/spotlight/styles.css";
import { Spotlight, createSpotlight } from "@mantine/spotlight";
import { useDebouncedValue } from "@mantine/hooks";
import { IconClock, IconFlag, IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useMe, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { areas, byName } from "./areas";
import { useAdministration, useAdministrationPages } from "./administration";
import { orderIn } from "./order";
import { Orders } from "./Orders";
import { visitedBy } from "./recent";
import { useThings } from "./things";

const [store, palette] = createSpotlight();

/** Goes to pages, flags and other things by name, and switches flags by an order: "disable checkout in production". */
export default function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [typed] = useDebouncedValue(text.trim(), 150);
  const order = orderIn(typed);
  const query = order?.flag ?? typed;
  const search = useRead(
    request("get", "/api/admin/search/features", {
      params: { query: { query: query || undefined, limit: "8", sortBy: "name" } },
    }),
    { enabled: query !== "" },
  );
  useEffect(() => palette.open(), []);
  const wanted = text.trim().toLowerCase();
  const person = useMe()?.user.id;
  const recent = person !== undefined && wanted === "" ? visitedBy(person) : [];
  const everywhere = [...areas, ...byName, ...useAdministration(), ...useAdministrationPages()];
  const pages = everywhere.filter(({ name }) => name.toLowerCase().includes(wanted));
  const features = query ? (search.data?.features ?? []) : [];
  const things = useThings(wanted);

  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      onSpotlightClose={onClose}
      lockScroll={false}
      shortcut={null}
      scrollable
      maxHeight={420}
      zIndex={420}
      attributes={{ content: { "aria-label": "Go to" } }}
    >
      <Spotlight.Search
        placeholder="A page, a flag, or: disable checkout in production"
        leftSection={<IconSearch size={18} aria-hidden />}
        aria-label="Go to"
      />
      <Spotlight.ActionsList>
        {recent.length > 0 && (
          <Spotlight.ActionsGroup label="Recently visited">
            {recent.map(({ name, to }) => (
              <Spotlight.Action
                key={to}
                label={name}
                leftSection={<IconClock size={16} aria-hidden />}
                onClick={() => void navigate({ href: to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {order && <Orders order={order} flags={features} />}
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label="Pages">
            {pages.map(({ name, to, icon: Icon }) => (
              <Spotlight.Action
                key={name}
                label={name}
                leftSection={<Icon size={16} aria-hidden />}
                onClick={() => void navigate({ to })}
              />
            ))}
            {"new feature flag".includes(wanted) && (
              <Spotlight.Action
                label="New feature flag"
                leftSection={<IconFlag size={16} aria-hidden />}
                onClick={() => void navigate({ to: "/features", search: { new: "true" } })}
              />
            )}
          </Spotlight.ActionsGroup>
        )}
        {features.length > 0 && (
          <Spotlight.ActionsGroup label="Feature flags">
            {features.map(({ name, project }) => (
              <Spotlight.Action
                key={`${project}/${name}`}
                label={name}
                description={project}
                leftSection={<IconFlag size={16} aria-hidden />}
                onClick={() =>
                  void navigate({
                    to: "/projects/$projectId/features/$featureName",
                    params: { projectId: project, featureName: name },
                  })
                }
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {things.length > 0 && (
          <Spotlight.ActionsGroup label="Projects, segments, people, tokens and applications">
            {things.map(({ kind, name, to, icon: Icon }) => (
              <Spotlight.Action
                key={`${kind} ${to}`}
                label={name}
                description={kind}
                leftSection={<Icon size={16} aria-hidden />}
                onClick={() => void navigate({ href: to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {pages.length + features.length + things.length === 0 && (
          <Spotlight.Empty>{search.isFetching ? "Looking …" : "No results."}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
