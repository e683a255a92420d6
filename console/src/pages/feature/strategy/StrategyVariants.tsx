import { Fieldset, Stack, Text } from "@mantine/core";
import { VariantRows } from "../../../parts/variants/VariantRows";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  setDraft: (draft: Draft) => void;
}

/** The variants of a strategy in its form. */
export function StrategyVariants({ draft, setDraft }: Props) {
  return (
    <Fieldset legend="Variants" variant="unstyled">
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          Different values for the users that this strategy is on for. With none, it is only on or off.
        </Text>
        <VariantRows
          variants={draft.variants}
          stickiness={draft.parameters.stickiness}
          change={(variants) => setDraft({ ...draft, variants })}
        />
      </Stack>
    </Fieldset>
  );
}
