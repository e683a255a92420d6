import { TextInput } from "@mantine/core";
import dayjs from "dayjs";
import { useState, type ReactNode } from "react";
import { serverTime } from "../../api/clock";
import type { Planned, Schemas } from "../../api/request";
import { Expiry } from "../forms/Expiry";
import { NewDrawer } from "../forms/NewDrawer";
import { SecretOnce } from "../SecretOnce";
import { AtField } from "../forms/AtField";

type Made = Schemas["PersonalTokenWithSecret"];

export interface TokenDraft {
  description: string;
  expiresAt: string;
}

/** A token that ends in a month unless somebody says otherwise. */
export function useTokenDraft(): TokenDraft {
  const [expiresAt] = useState(() => dayjs(serverTime()).add(30, "day").toISOString());
  return { description: "", expiresAt };
}

interface Props {
  isOpen: boolean;
  title: string;
  initial: TokenDraft;
  plan: (draft: TokenDraft) => Planned<Made>;
  onClose: () => void;
  /** The heading over the secret, and below it what whoever has it may do. */
  secretTitle: string;
  children: ReactNode;
}

/** Makes a token by which a script comes in as somebody, and shows its secret once. */
export function NewPersonalToken({ isOpen, title, initial, plan, onClose, secretTitle, children }: Props) {
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
          objection={({ description }) => (description.trim() ? undefined : "Say what it is for.")}
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
              <Expiry
                label="Expires"
                days={[7, 30, 90, 365]}
                value={expiresAt}
                onChange={(value) => value && edit({ expiresAt: value })}
              />
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
