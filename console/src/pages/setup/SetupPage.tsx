import { Group, Select, Title } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { first } from "../../api/address";
import { useEnvironments, useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { environmentOption, isProduction } from "../../parts/EnvironmentName";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { Program } from "./Program";
import { languages } from "./snippets";
import { Token, type Made } from "./Token";
import { Watch } from "./Watch";
import classes from "./Setup.module.css";

/** From a feature to a program that asks for it. Where and in which language stands in the address. */
export default function SetupPage() {
  useTitle("Connect an application");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const projects = useProjects();
  const environments = useEnvironments();
  const [made, setMade] = useState<Made>();
  const project = first(search.project) ?? projects[0]?.id ?? "";
  const overview = useRead(
    request("get", "/api/admin/projects/{projectId}/overview", { params: { path: { projectId: project } } }),
    { enabled: project !== "" },
  );
  const found = useRead(
    request("get", "/api/admin/search/features", {
      params: { query: { project: `IS:${project}`, limit: "1", sortBy: "createdAt" } },
    }),
    { enabled: project !== "" },
  );
  const used = overview.data?.environments.map(({ environment }) => environment) ?? [];
  // Where a slip hurts least comes first.
  const sorted = environments
    .filter(({ name }) => used.includes(name))
    .sort((one, other) => Number(isProduction(one.type)) - Number(isProduction(other.type)));
  const environment = sorted.find(({ name }) => name === first(search.environment))?.name ?? sorted[0]?.name;
  const language = languages[first(search.language) ?? ""] ? first(search.language)! : "node";
  const chosen = languages[language]!;
  const feature = first(search.feature) ?? found.data?.features[0]?.name;
  const go = (changed: Record<string, string | null>) => {
    setMade(undefined);
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
    });
  };
  const token = made?.type === chosen.token ? made : undefined;

  return (
    <div className={classes.page}>
      <Title order={1}>Connect an application</Title>
      <section className="card" aria-label="Where">
        <h2>1. Where is it, and what is it written in?</h2>
        <Group gap="md" align="start">
          <Select
            label="Project"
            searchable
            limit={50}
            allowDeselect={false}
            data={projects.map(({ id, name }) => ({ value: id, label: name }))}
            value={project || null}
            onChange={(id) => go({ project: id, feature: null })}
          />
          <Select
            label="Environment"
            allowDeselect={false}
            data={sorted.map(environmentOption)}
            value={environment ?? null}
            onChange={(name) => go({ environment: name })}
          />
          <Select
            label="Language"
            allowDeselect={false}
            data={Object.entries(languages).map(([value, { label }]) => ({ value, label }))}
            value={language}
            onChange={(name) => go({ language: name })}
          />
        </Group>
        {overview.error && <Problem error={overview.error} again={() => void overview.refetch()} />}
        {found.data && !feature && (
          <p>
            The project has no flag that an application could ask for.{" "}
            <Link to="/projects/$projectId/features" params={{ projectId: project }} search={{ new: "true" }}>
              Create one first
            </Link>
            .
          </p>
        )}
        {overview.data && !environment && (
          <p>
            The project uses no environment.{" "}
            <Link to="/projects/$projectId/$tab" params={{ projectId: project, tab: "environments" }}>
              Give it one first
            </Link>
            .
          </p>
        )}
      </section>
      {environment && feature && (
        <>
          <section className="card" aria-label="Token">
            <h2>2. A token lets it in</h2>
            <Token
              key={`${project} ${environment} ${chosen.token}`}
              project={project}
              environment={environment}
              type={chosen.token}
              made={token}
              setMade={setMade}
            />
          </section>
          <section className="card" aria-label="Application">
            <h2>3. The application asks</h2>
            <Program language={chosen} feature={feature} secret={token?.secret} />
          </section>
          <section className="card" aria-label="Answer">
            <h2>4. And is answered</h2>
            <Watch project={project} environment={environment} feature={feature} name={token?.name} />
          </section>
        </>
      )}
    </div>
  );
}
