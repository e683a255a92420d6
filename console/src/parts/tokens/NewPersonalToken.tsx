import { TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { serverTime } from "../../api/clock";
import type { Planned, Schemas } from "../../api/request";
import { Expiry } from "../forms/Expiry";
import { NewDrawer } from "../forms/NewDrawer";
import { SecretOnce } from "../SecretOnce";
import { AtField } from "../forms/AtField";
import { boundInWords, endAfter, tooLate } from "./lifetime";

type Made = Schemas["PersonalTokenWithSecret"];

export interface TokenDraft {
  description: string;
  expiresAt: string;
}

const usualDays = 30;

/** A token that ends in a month, or as late as it may, unless somebody says otherwise. */
export function useTokenDraft(longestDays?: number): TokenDraft {
  const [now] = useState(() => serverTime());
  return { description: "", expiresAt: endAfter(usualDays, now, longestDays) };
}

interface Props {
  isOpen: boolean;
  title: string;
  initial: TokenDraft;
  /** Longest lifetime in days, where it is known. */
  longestDays?: number;
  plan: (draft: TokenDraft) => Planned<Made>;
  onClose: () => void;
  /** The heading over the secret, and below it what whoever has it may do. */
  secretTitle: string;
  children: ReactNode;
}

/** Makes a token by which a script comes in as somebody, and shows its secret once. */
export function NewPersonalToken(props: Props) {
  const { isOpen, title, initial, longestDays, plan, onClose, secretTitle, children } = props;
  const [made, setMade] = useState<Made>();
  return (
    <>
      {isOpen && (
        <NewDrawer
          title={title}
          initial={initial}
          plan={({ description, expiresAt }) => plan({ description: description.trim(), expiresAt })}
          action={() => "Create the token"}
          done={({ description }) => `The token for ${description.trim()} was created.`}
          objection={({ description, expiresAt }) =>
            description.trim() ? tooLate(expiresAt, serverTime(), longestDays) : "Say what it is for."
          }
          onMade={(token) => {
            setMade(token);
            onClose();
          }}
          onClose={onClose}
        >
          {({ description, expiresAt }, edit) => (
            <>
              <AtField of="description">
                <TextInput
                  data-autofocus
                  label="What it is for"
                  required
                  maxLength={255}
                  value={description}
                  onChange={(event) => edit({ description: event.currentTarget.value })}
                />
              </AtField>
              <AtField of="expiresAt">
                <Expiry
                  label="Expires"
                  description={longestDays === undefined ? undefined : boundInWords(longestDays)}
                  days={[7, 30, 90, 365]}
                  longest={longestDays}
                  error={tooLate(expiresAt, serverTime(), longestDays)}
                  value={expiresAt}
                  onChange={(value) => value && edit({ expiresAt: value })}
                />
              </AtField>
            </>
          )}
        </NewDrawer>
      )}
      {made && (
        <SecretOnce title={secretTitle} secret={made.secret} onClose={() => setMade(undefined)}>
          {children}
        </SecretOnce>
      )}
    </>
  );
}
