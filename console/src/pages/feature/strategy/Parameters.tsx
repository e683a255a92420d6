import { NumberInput, Select, Slider, TagsInput, Text, TextInput } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { Waiting } from "../../../parts/Waiting";

interface Props {
  /** Whether the kinds are still read. */
  isWaiting: boolean;
  kind: Schemas["StrategyType"] | undefined;
  parameters: Record<string, string>;
  change: (parameters: Record<string, string>) => void;
}

const list = (text: string | undefined) =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** What people call parameters that are named for programs. */
const labels: Record<string, string> = {
  groupId: "Group ID",
  userIds: "User IDs",
  IPs: "IP addresses",
  hostNames: "Host names",
};

/** The parameters of a kind of strategy, each by its type. All of them travel as text. */
export function Parameters({ isWaiting, kind, parameters, change }: Props) {
  const fields = useRead(request("get", "/api/admin/context"), { staleTime: 60_000 }).data ?? [];
  const put = (name: string, value: string) => change({ ...parameters, [name]: value });
  // A field is as high as three rows, the one of the share, with its slider, as four.
  if (isWaiting) return <Waiting rows={3 * Object.keys(parameters).length + 1} />;
  return (
    <>
      {kind?.parameters.map(({ name, type, description, required }) => {
        const value = parameters[name] ?? "";
        const common = { label: labels[name] ?? name, description, required };
        if (type === "percentage") {
          const share = Math.min(100, Math.max(0, Number(value) || 0));
          return (
            <div key={name}>
              <NumberInput
                {...common}
                label="Share of users"
                suffix=" %"
                min={0}
                max={100}
                value={share}
                onChange={(entered) => put(name, String(Math.min(100, Math.max(0, Math.round(Number(entered) || 0)))))}
              />
              <Slider
                mt="sm"
                thumbLabel="Share of users in percent"
                label={null}
                value={share}
                onChange={(entered) => put(name, String(entered))}
              />
            </div>
          );
        }
        if (name === "stickiness") {
          const sticky = fields.filter(({ stickiness }) => stickiness).map((field) => field.name);
          return (
            <Select
              key={name}
              {...common}
              label="Stickiness"
              data={[...new Set(["default", "random", "userId", "sessionId", ...sticky, value].filter(Boolean))]}
              value={value}
              allowDeselect={false}
              onChange={(chosen) => chosen && put(name, chosen)}
            />
          );
        }
        if (type === "list") {
          return (
            <TagsInput
              key={name}
              {...common}
              splitChars={[",", "\n"]}
              value={list(value)}
              onChange={(values) => put(name, values.join(","))}
            />
          );
        }
        if (type === "boolean") {
          return (
            <Select
              key={name}
              {...common}
              data={["true", "false"]}
              value={value || null}
              clearable
              onChange={(chosen) => put(name, chosen ?? "")}
            />
          );
        }
        return (
          <TextInput
            key={name}
            {...common}
            value={value}
            inputMode={type === "number" ? "decimal" : undefined}
            onChange={(event) => put(name, event.currentTarget.value)}
          />
        );
      })}
      {kind?.parameters.length === 0 && <Text size="sm">{kind.description}</Text>}
    </>
  );
}
