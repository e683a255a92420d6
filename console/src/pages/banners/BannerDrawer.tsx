import { Select, Switch, Textarea, TextInput } from "@mantine/core";
import { ChangeDrawer } from "../../parts/forms/ChangeDrawer";
import { NewDrawer } from "../../parts/forms/NewDrawer";
import { blank, draftOf, objectionTo, planChange, planNew, variants, type Banner, type Draft } from "./banners";
import { AtField } from "../../parts/forms/AtField";

/** Tells everybody something. */
export function NewBanner({ onClose }: { onClose: () => void }) {
  return (
    <NewDrawer
      title="New banner"
      initial={blank}
      plan={planNew}
      action={({ enabled }) => (enabled ? "Show it to everybody" : "Keep it hidden")}
      done={({ enabled }) => (enabled ? "Everybody sees the banner." : "The banner is kept, and nobody sees it yet.")}
      objection={objectionTo}
      onClose={onClose}
    >
      {(draft, change) => <Fields draft={draft} change={change} />}
    </NewDrawer>
  );
}

/** Says something else, or looks otherwise. */
export function ChangeBanner({ banner, onClose }: { banner: Banner; onClose: () => void }) {
  return (
    <ChangeDrawer
      title="Banner"
      stored={draftOf(banner)}
      plan={(draft) => planChange(banner.id, draft)}
      done={() => "The banner is saved."}
      objection={objectionTo}
      onClose={onClose}
    >
      {(draft, change) => <Fields draft={draft} change={change} />}
    </ChangeDrawer>
  );
}

const destinations = [
  { value: "nowhere", label: "No link" },
  { value: "address", label: "To an address" },
  { value: "dialog", label: "To more text" },
] as const;

function Fields({ draft, change }: { draft: Draft; change: (changed: Partial<Draft>) => void }) {
  return (
    <>
      <AtField of="message">
        <Textarea
          data-autofocus
          label="Message"
          description="In Markdown: **important**, [a link](https://…), lists and `code`."
          required
          autosize
          minRows={2}
          maxLength={10_000}
          value={draft.message}
          onChange={(event) => change({ message: event.currentTarget.value })}
        />
      </AtField>
      <AtField of="variant">
        <Select
          label="Type"
          allowDeselect={false}
          data={(Object.keys(variants) as Draft["variant"][]).map((value) => ({ value, label: variants[value] }))}
          value={draft.variant}
          onChange={(value) => change({ variant: value ?? "info" })}
        />
      </AtField>
      <AtField of="leads">
        <Select
          label="Link"
          allowDeselect={false}
          data={destinations}
          value={draft.leads}
          onChange={(value) => change({ leads: value ?? "nowhere" })}
        />
      </AtField>
      {draft.leads === "address" && (
        <AtField of="link">
          <TextInput
            label="Address"
            description="Such as https://status.example.com, or /projects for a page of the console."
            maxLength={2000}
            value={draft.link}
            onChange={(event) => change({ link: event.currentTarget.value })}
          />
        </AtField>
      )}
      {draft.leads !== "nowhere" && (
        <AtField of="linkText">
          <TextInput
            label="Text of the link"
            placeholder="More info"
            maxLength={255}
            value={draft.linkText}
            onChange={(event) => change({ linkText: event.currentTarget.value })}
          />
        </AtField>
      )}
      {draft.leads === "dialog" && (
        <>
          <AtField of="dialogTitle">
            <TextInput
              label="Title of the text"
              maxLength={255}
              value={draft.dialogTitle}
              onChange={(event) => change({ dialogTitle: event.currentTarget.value })}
            />
          </AtField>
          <AtField of="dialog">
            <Textarea
              label="Text"
              autosize
              minRows={4}
              maxLength={10_000}
              value={draft.dialog}
              onChange={(event) => change({ dialog: event.currentTarget.value })}
            />
          </AtField>
        </>
      )}
      <Switch
        label="Stays in sight while somebody scrolls"
        checked={draft.sticky}
        onChange={(event) => change({ sticky: event.currentTarget.checked })}
      />
      <Switch
        label="Everybody sees it"
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
    </>
  );
}
