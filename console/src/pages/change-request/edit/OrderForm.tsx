import { ActionIcon, Group } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request as plan } from "../../../api/request";
import { same } from "../../../parts/conflict/merge";
import { audience } from "../../../parts/strategies/audience";
import { useSegmentNames } from "../../../parts/strategies/segments";
import classes from "../ChangeRequest.module.css";
import type { OfOne } from "./editing";
import { Frame } from "./Frame";
import { WithMoments } from "../../../parts/Moment";

/** The strategies of a flag in another order. */
export function OrderForm({ change, ...of }: OfOne<"reorderStrategy">) {
  const { project, environment } = of.request;
  const segments = useSegmentNames();
  const strategies =
    useRead(
      plan("get", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}", {
        params: { path: { projectId: project, featureName: of.feature, environment } },
      }),
    ).data?.strategies ?? [];
  const stored = [...change.payload].sort((one, other) => one.sortOrder - other.sortOrder).map(({ id }) => id);
  const [order, setOrder] = useState(stored);
  const said = (id: string) => {
    const found = strategies.find((one) => one.id === id);
    return found ? found.title || audience(found, segments) : id;
  };

  function move(at: number, by: number) {
    const moved = [...order];
    const [one] = moved.splice(at, 1);
    moved.splice(at + by, 0, one!);
    setOrder(moved);
  }

  return (
    <Frame
      {...of}
      change={change}
      size="md"
      title={`Order of the strategies in ${environment}`}
      wanted={{
        feature: of.feature,
        action: "reorderStrategy",
        payload: order.map((id, sortOrder) => ({ id, sortOrder })),
      }}
      isChanged={!same(order, stored)}
    >
      <ol className={classes.list}>
        {order.map((id, at) => (
          <li key={id}>
            <Group gap="sm" wrap="nowrap" justify="space-between">
              <span className="breaks">
                <bdi>
                  <WithMoments text={said(id)} />
                </bdi>
              </span>
              <Group gap={4} wrap="nowrap">
                <ActionIcon
                  variant="default"
                  size={24}
                  aria-label={`Move ${at + 1} up`}
                  disabled={at === 0}
                  onClick={() => move(at, -1)}
                >
                  <IconArrowUp size={14} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  size={24}
                  aria-label={`Move ${at + 1} down`}
                  disabled={at === order.length - 1}
                  onClick={() => move(at, 1)}
                >
                  <IconArrowDown size={14} aria-hidden />
                </ActionIcon>
              </Group>
            </Group>
          </li>
        ))}
      </ol>
    </Frame>
  );
}
