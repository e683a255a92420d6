import { needing } from "../../api/permissions";
import { request, type Schemas } from "../../api/request";

export type Token = Schemas["ApiToken"];
export type Kind = Token["type"];

export const kinds: Record<Kind, { label: string; about: string }> = {
  client: { label: "Server", about: "For SDKs on servers, where the secret stays private. It reads all strategies." },
  frontend: {
    label: "Browser",
    about: "For web pages and mobile apps, where anybody can read the secret. It only tells which flags are on.",
  },
  admin: { label: "Administration", about: "May do everything. Prefer the personal token of a user." },
};

const day = 86_400_000;
const daysUnused = 90;

/** Whether it could be deleted without anybody noticing: nothing used it for 90 days, and it is older than that. */
export function isUnused({ seenAt, createdAt }: Pick<Token, "seenAt" | "createdAt">, now: number): boolean {
  return now - Date.parse(seenAt ?? createdAt) > daysUnused * day;
}

export type Ending = "ended" | "soon" | undefined;

/** Whether it has ended, or will within a week. */
export function ending({ expiresAt }: Pick<Token, "expiresAt">, now: number): Ending {
  if (!expiresAt) return undefined;
  const left = Date.parse(expiresAt) - now;
  return left <= 0 ? "ended" : left < 7 * day ? "soon" : undefined;
}

/** Those that nothing uses first, then by name. */
export function inOrder(tokens: readonly Token[], now: number): Token[] {
  return [...tokens].sort(
    (one, other) =>
      Number(isUnused(other, now)) - Number(isUnused(one, now)) || one.tokenName.localeCompare(other.tokenName),
  );
}

type Deed = "CREATE" | "UPDATE" | "DELETE" | "READ";
export const permissionFor = (deed: Deed, kind: Kind) =>
  kind === "admin" ? "ADMIN" : `${deed}_${kind === "client" ? "CLIENT" : "FRONTEND"}_API_TOKEN`;

export interface Draft {
  tokenName: string;
  type: Kind;
  environment: string;
  /** Empty means all of them. */
  projects: string[];
  expiresAt: string | null;
}

/** A token for all projects can only be made by an administrator, whatever its kind. */
export function planNew({ tokenName, type, environment, projects, expiresAt }: Draft) {
  const isAdmin = type === "admin";
  const everywhere = isAdmin || projects.length === 0;
  const planned = request("post", "/api/admin/api-tokens", {
    body: {
      tokenName: tokenName.trim(),
      type,
      environment: isAdmin ? "*" : environment,
      projects: everywhere ? ["*"] : projects,
      expiresAt,
    },
  });
  return needing(planned, everywhere ? "ADMIN" : permissionFor("CREATE", type));
}

/** What the page's address has of a token. Its secret, which lists may show, never stands there. */
export const placeOf = ({ createdAt, tokenName }: Token) => `${createdAt} ${tokenName}`;

const one = "/api/admin/api-tokens/{token}";
const named = (token: Token) => ({ path: { token: token.secret } });

export const planExpiry = (token: Token, expiresAt: string | null) =>
  needing(request("put", one, { params: named(token), body: { expiresAt } }), permissionFor("UPDATE", token.type));

export const planRemoval = (token: Token) =>
  needing(request("delete", one, { params: named(token) }), permissionFor("DELETE", token.type));
