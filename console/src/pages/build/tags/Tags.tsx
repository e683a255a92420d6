import { SegmentedControl } from "@mantine/core";
import { useAddress } from "../../../parts/address";
import { TagList } from "./TagList";
import { TagTypeList } from "./TagTypeList";

/** Labels on features, and the kinds that they are of. */
export function Tags() {
  const { get, change } = useAddress();
  const kind = get("kind") === "types" ? "types" : "tags";
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label="What is listed"
      data={[
        { value: "tags", label: "Tags" },
        { value: "types", label: "Tag types" },
      ]}
      value={kind}
      onChange={(value) =>
        change({ kind: value === "types" ? value : undefined, open: undefined, new: undefined, query: undefined })
      }
    />
  );
  return kind === "types" ? <TagTypeList filters={choice} /> : <TagList filters={choice} />;
}
