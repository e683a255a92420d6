import { useState } from "react";
import { send } from "../../api/client";
import { useEnvironments, useRefresh } from "../../api/queries";
import { isConflict } from "../../api/refusal";
import { onlyFor, request, type Planned, type Schemas } from "../../api/request";
import { confirm } from "../confirm";
import { useChange } from "../change-requests/draft";
import { isProduction } from "../EnvironmentName";
import { tellDone, tellFailure } from "../notices";
import { changes } from "./changes";
import { Differences } from "./Differences";
import { standing } from "./standing";

/**
 * Makes things as they were before an event: over what the person saw of them, and over nothing newer. What is archived
 * has no version to hold on to.
 */
export function usePutBack(event: Schemas["Event"], way: Planned | undefined) {
  const refresh = useRefresh();
  const change = useChange();
  const type = useEnvironments().find(({ name }) => name === event.environment)?.type;
  const [busy, setBusy] = useState(false);

  async function putBack() {
    if (!way) return;
    setBusy(true);
    try {
      for (let isAgain = false; ; isAgain = true) {
        const seen = event.type === "feature-archived" ? undefined : await send(featureOf(event));
        const parts = seen && standing(event, seen.data, way);
        const lines = parts && changes(parts.now, parts.then);
        if (lines?.length === 0) return tellDone("It is as it was before this event already.");
        const planned = onlyFor(way, seen?.version);
        const meant = await confirm({
          title: isAgain ? "Somebody changed it meanwhile: put it back?" : "Put it back",
          action: "Put it back",
          danger: isProduction(type),
          reasoned: true,
          requests: [planned],
          consequence: (
            <>
              What this event changed will be as it was before it
              {isProduction(type) ? ", in ▲ production" : ""}. Later changes of the same are lost; those of other things
              stay.
              {lines && <Differences label="What putting back changes" heads={["Now", "Then"]} lines={lines} />}
            </>
          ),
        });
        if (!meant) return;
        try {
          const { draft } = await change(meant.because(planned));
          if (!draft) tellDone("It is as it was before.");
          return;
        } catch (failure) {
          if (!isConflict(failure)) throw failure;
        }
      }
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setBusy(false);
      void refresh();
    }
  }

  return { putBack, busy };
}

const featureOf = ({ project, featureName }: Schemas["Event"]) =>
  request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
    params: { path: { projectId: project ?? "", featureName: featureName ?? "" } },
  });
