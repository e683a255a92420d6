import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { choosing } from "../../api/filters";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { FilterChoice } from "../../parts/FilterChoice";

interface Props {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Who created the flags: found by name, since there may be many. */
export function CreatorChoice(props: Props) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text, 150);
  const { data } = useRead(request("get", "/api/admin/flag-creators", { params: { query: q ? { q } : {} } }), {
    staleTime: 60_000,
  });
  return (
    <FilterChoice
      label="Creator"
      operators={choosing}
      options={(data?.flagCreators ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
      onFind={setText}
      {...props}
    />
  );
}
