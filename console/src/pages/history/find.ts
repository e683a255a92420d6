import { useDebouncedValue } from "@mantine/hooks";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { asName, namesFilter } from "./names";

/** As many names as one search may ask for without an address that is too long. */
const most = 50;

type Filter = Record<string, string | undefined>;

const featuresLike = (text: string, archived: boolean) =>
  request("get", "/api/admin/search/features", {
    params: {
      query: { query: text, limit: String(most), sortBy: "name", ...(archived ? { archived: "IS:true" } : {}) },
    },
  });

const countOf = (filter: Filter) =>
  request("get", "/api/admin/search/events", { params: { query: { ...filter, limit: "1" } } });

/** Names of features that contain a text, archived ones as well. */
export function useFeatureNames(text: string, enabled = true) {
  const [query] = useDebouncedValue(text.trim(), 200);
  const live = useRead(featuresLike(query, false), { enabled });
  const archived = useRead(featuresLike(query, true), { enabled: enabled && query !== "" });
  const found = [live, query ? archived : undefined].flatMap((read) => read?.data?.features ?? []);
  const names = [...new Set(found.map(({ name }) => name))].filter((name) =>
    name.toLowerCase().includes(query.toLowerCase()),
  );
  return {
    data: names.slice(0, most),
    isLooking: enabled && (query !== text.trim() || live.isFetching || archived.isFetching),
  };
}

/** By what a text was found: names of features, or what events keep. */
export type By = "name" | "data";

export interface Found {
  /** The search that shows it. */
  filter: Filter;
  by: By;
  isLooking: boolean;
  names: string[];
  counts: Record<By, number | undefined>;
}

/**
 * The events of the features that are named like a text, and those whose data contains it. The first are shown unless there
 * are none: whoever types a name wants all that happened to it, and most events do not repeat it in their data.
 */
export function useFound(filter: Filter, wanted: string | undefined): Found {
  const { query: text, ...rest } = filter;
  const isSearch = Boolean(text);
  const known = useFeatureNames(text ?? "", isSearch && !filter.feature);
  // A deleted feature is in no list, but events name it.
  const names = text ? [...new Set([...known.data, ...asName(text)])] : [];
  const byName = { ...rest, feature: namesFilter(names) };
  const isNamed = isSearch && !filter.feature && names.length > 0;
  const ofNames = useRead(countOf(byName), { enabled: isNamed && !known.isLooking });
  const ofData = useRead(countOf(filter), { enabled: isSearch });
  const counts = { name: isNamed ? ofNames.data?.total : 0, data: ofData.data?.total };
  const isLooking = isSearch && !wanted && (known.isLooking || (isNamed && ofNames.isPending));
  const by = wanted === "data" || wanted === "name" ? wanted : counts.name === 0 ? "data" : "name";
  return { filter: isNamed && by === "name" ? byName : filter, by, isLooking, names: known.data, counts };
}
