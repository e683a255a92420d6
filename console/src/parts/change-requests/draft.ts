import { useNavigate } from "@tanstack/react-router";
import { send, type Reply } from "../../api/client";
import { ownChange } from "../../api/own-changes";
import { draftedNow } from "../../api/queries";
import { proposalOf, type Ask } from "../../api/proposals";
import { ofPart, Refusal } from "../../api/refusal";
import type { Planned } from "../../api/request";
import { counted } from "../../words/counts";
import { tellDone } from "../notices";
import { drafting, sizeOf, type ChangeRequest } from "./requests";

/** A call was made, or is now part of a draft. */
export type Changed<A> = (Reply<A> & { draft: undefined }) | { draft: ChangeRequest };

const ask: Ask = async (planned) => (await send(planned)).data;

const isGuarded = (failure: unknown) =>
  failure instanceof Refusal && failure.status === 403 && failure.body.permissions?.includes("SKIP_CHANGE_REQUEST");

/** Makes a call, or puts it into the draft of the person where changes need approval: the one place that decides. */
export async function change<A>(planned: Planned<A>): Promise<Changed<A>> {
  let environment = await draftedNow(planned);
  if (environment === undefined) {
    try {
      return { ...(await send(planned)), draft: undefined };
    } catch (failure) {
      if (!isGuarded(failure)) throw failure;
      // Approvals are needed since a moment ago.
      environment = await draftedNow(planned, true);
      if (environment === undefined) throw failure;
    }
  }
  const { project, changes } = proposalOf(planned)!;
  const wanted = await changes(ask);
  try {
    return { draft: (await send(drafting(project, environment, wanted))).data };
  } catch (failure) {
    // A form of one change names its fields by their places in it.
    throw wanted.length === 1 ? ofPart(failure, "0/payload") : failure;
  }
}

/** The same, which tells what it put into a draft, and leads to it. */
export function useChange() {
  const navigate = useNavigate();
  return async function <A>(planned: Planned<A>): Promise<Changed<A>> {
    const changed = await ownChange(change(planned));
    if (changed.draft) {
      const { id, project, environment, state } = changed.draft;
      const where = state === "Draft" ? `your draft for ${environment}` : `your change request #${id}`;
      tellDone(
        `Added to ${where}, ${counted(sizeOf(changed.draft), "change")}.`,
        {
          label: state === "Draft" ? "Open the draft" : "Open it",
          run: () =>
            void navigate({
              to: "/projects/$projectId/change-requests/$id",
              params: { projectId: project, id: String(id) },
            }),
        },
        `draft ${id}`,
      );
    }
    return changed;
  };
}
