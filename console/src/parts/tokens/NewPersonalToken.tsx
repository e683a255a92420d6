import { TextInput } from "@mantine/core";
import dayjs from "dayjs";
import { useState } from "react";
import { serverTime } from "../../api/clock";
import type { Planned, Schemas } from "../../api/request";
import { Expiry } from "../forms/Expiry";
import { NewDrawer } from "../forms/NewDrawer";

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
  title: string;
  initial: TokenDraft;
  plan: (draft: TokenDraft) => Planned<Made>;
  onMade: (token: Made) => void;
  onClose: () => void;
}

/** Makes a token by which a script comes in as somebody. */
export const NewPersonalToken = (props: Props) => (
  <NewDrawer
    {...props}
    action={() => "Make the token"}
    done={({ description }) => `The token for ${description.trim()} was made.`}
    objection={({ description }) => (description.trim() ? undefined : "Say what it is for.")}
  >
    {({ description, expiresAt }, edit) => (
      <>
        <TextInput
          data-autofocus
          label="What it is for"
          required
          maxLength={255}
          value={description}
          onChange={(event) => edit({ description: event.currentTarget.value })}
        />
        <Expiry
          label="It ends"
          days={[7, 30, 90, 365]}
          value={expiresAt}
          onChange={(value) => value && edit({ expiresAt: value })}
        />
      </>
    )}
  </NewDrawer>
);
