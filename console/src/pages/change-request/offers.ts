import { isOpen, sizeOf, type ChangeRequest } from "../../parts/change-requests/requests";

/** What somebody can do with a change request as a whole. */
export type Wish = "review" | "approve" | "reject" | "apply" | "schedule" | "cancel" | "discard";

export interface Offer {
  wish: Wish;
  /** The permission in the environment that it takes, if any. */
  permission?: "APPROVE_CHANGE_REQUEST" | "APPLY_CHANGE_REQUEST";
  /** Why it cannot be done, apart from permissions. */
  because?: string;
}

interface Circumstances {
  person: number | undefined;
  isAdmin: boolean;
  /** Whether changes in the environment still need approval. */
  isGuarded: boolean;
}

const off = "Change requests are switched off for this environment.";

/** Why the changes cannot be made as things are. */
export function conflictsOf({ features, segments }: Pick<ChangeRequest, "features" | "segments">): string[] {
  const ofChanges = (changes: readonly { conflict?: string }[]) => changes.map(({ conflict }) => conflict);
  const found = [
    ...features.flatMap(({ conflict, changes }) => [conflict, ...ofChanges(changes)]),
    ...ofChanges(segments),
  ];
  return found.filter((conflict) => conflict !== undefined);
}

/** What is offered to somebody, in the order of the buttons. The server has the last word. */
export function offersOf(request: ChangeRequest, { person, isAdmin, isGuarded }: Circumstances): Offer[] {
  const { state, createdBy, approvals } = request;
  const isAuthor = createdBy.id === person;
  const guarded = isGuarded ? undefined : off;
  const conflict = conflictsOf(request).length ? "It has conflicts: see the changes." : undefined;
  const cancel: Offer[] = isAuthor || isAdmin ? [{ wish: "cancel" }] : [];
  const apply = (because: string | undefined): Offer[] =>
    (["apply", "schedule"] as const).map((wish) => ({ wish, permission: "APPLY_CHANGE_REQUEST", because }));
  switch (state) {
    case "Draft":
      if (!isAuthor) return cancel;
      return [
        { wish: "review", because: guarded ?? (sizeOf(request) ? undefined : "It holds no change.") },
        { wish: "discard" },
      ];
    case "In review": {
      const own = isAuthor && !isAdmin ? "You cannot approve your own change request." : undefined;
      const twice = approvals.some((one) => one.createdBy.id === person) ? "You approved it already." : undefined;
      return [
        { wish: "approve", permission: "APPROVE_CHANGE_REQUEST", because: guarded ?? own ?? twice },
        { wish: "reject", permission: "APPROVE_CHANGE_REQUEST", because: guarded },
        ...cancel,
      ];
    }
    case "Approved":
      return [...apply(guarded ?? conflict), ...cancel];
    case "Scheduled":
      return [
        ...apply(conflict),
        { wish: "reject", permission: isAuthor || isAdmin ? undefined : "APPROVE_CHANGE_REQUEST" },
      ];
    default:
      return [];
  }
}

/** Whether somebody can still change what it holds. */
export const isEditable = ({ state, createdBy }: ChangeRequest, person: number | undefined) =>
  isOpen(state) && state !== "Scheduled" && createdBy.id === person;
