import { Button } from "@mantine/core";
import { proposal, proposedBy } from "../../words/proposal";
import { ofAddresses } from "../../words/rules";

interface Props {
  said: string;
  typed: string;
  use: (name: string) => void;
}

/** Why a name cannot be had, with one that can where its characters are the reason. */
export function NameRefused({ said, typed, use }: Props) {
  const proposed = proposedBy(said) ?? (said === ofAddresses.beside ? proposal(typed) : undefined);
  return (
    <>
      {said}{" "}
      {proposed && (
        <Button variant="default" size="compact-xs" className="breaks" onClick={() => use(proposed)}>
          Use {proposed}
        </Button>
      )}
    </>
  );
}
