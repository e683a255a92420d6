import { Alert, Button, List } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { send } from "../../api/client";
import { useRefresh, useWhyNot } from "../../api/queries";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import type { Lack } from "./lacks";

interface Props {
  project: string;
  lacks: readonly Lack[];
  onCreated: (names: string[]) => void;
}

const pages: Record<Lack["kind"], string> = {
  environment: "/projects/$projectId/environments",
  "strategy type": "/build/strategies",
  "context field": "/build/context",
  segment: "/build/segments",
};

/** What the file needs and is not there: each once, with the page that has such things, and all of it by one button. */
export function Missing({ project, lacks, onCreated }: Props) {
  const whyNot = useWhyNot();
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const refusal = lacks.map(({ request }) => whyNot(request, { project })).find(Boolean);
  const hasSegments = lacks.some(({ kind }) => kind === "segment");
  if (lacks.length === 0) return null;

  async function create() {
    setBusy(true);
    setError(undefined);
    const created: string[] = [];
    try {
      for (const { kind, name, request } of lacks) {
        await send(request);
        if (kind === "segment") created.push(name);
      }
    } catch (failure) {
      setError(failure);
    } finally {
      onCreated(created);
      await refresh();
      setBusy(false);
    }
  }

  return (
    <Alert color="stone" variant="outline" title="Missing: needed by the file, and not there yet">
      <List size="sm">
        {lacks.map(({ kind, name }) => (
          <List.Item key={`${kind} ${name}`} className="breaks">
            {kind === "context field" ? "values of the context field" : kind}{" "}
            <Link to={pages[kind]} params={{ projectId: project } as never} search={{ query: name } as never}>
              <bdi>{name}</bdi>
            </Link>
          </List.Item>
        ))}
      </List>
      {hasSegments && (
        <p>
          An export does not hold the constraints of segments: they are created without, and the strategies that apply
          them are imported disabled. Give the segments their constraints, then enable those.
        </p>
      )}
      <Problem error={error} />
      <RequestPreview requests={lacks.map(({ request }) => request)} />
      <Button
        mt="sm"
        loading={busy}
        aria-disabled={refusal ? true : undefined}
        data-disabled={refusal ? true : undefined}
        title={refusal}
        onClick={() => !refusal && void create()}
      >
        Create what is missing ({lacks.length})
      </Button>
      {refusal && <p className="muted">{refusal}</p>}
    </Alert>
  );
}
