import { Group } from "@mantine/core";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { OpenRow } from "../../parts/area/OpenRow";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { useKeys } from "../../parts/keys";
import { Moment } from "../../parts/Moment";
import { settingsTabs } from "../../parts/settings";
import { ChangeBanner, NewBanner } from "./BannerDrawer";
import { blank, planNew, planSwitch, variants, type Banner } from "./banners";

/** What everybody reads above every page. */
export default function BannersPage() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/banners"));
  const { act, busy } = useAct();
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New banner", run: () => open("true") } });
  const banners = read.data?.banners ?? [];
  const shown = banners.find(({ id }) => String(id) === get("banner"));
  const firstLine = ({ message }: Banner) => message.trim().split("\n", 1).join("").slice(0, 80);

  const columns: Column<Banner>[] = [
    {
      head: "Message",
      cell: (banner) => <OpenRow name={firstLine(banner)} onClick={() => change({ banner: String(banner.id) })} />,
    },
    { head: "Type", cell: ({ variant }) => variants[variant] },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      head: "Shown",
      cell: (banner) => (
        <ActionButton
          request={planSwitch(banner.id, !banner.enabled)}
          size="compact-xs"
          variant="default"
          loading={busy}
          onClick={() =>
            void act({
              request: planSwitch(banner.id, !banner.enabled),
              done: banner.enabled ? "The banner is hidden." : "Everybody sees the banner.",
              undo: planSwitch(banner.id, banner.enabled),
            })
          }
        >
          {banner.enabled ? "Hide" : "Show"} <span className="visually-hidden">{firstLine(banner)}</span>
        </ActionButton>
      ),
    },
    {
      head: <span className="visually-hidden">Delete</span>,
      cell: (banner) => (
        <RemoveButton
          compact
          what="banner"
          name={firstLine(banner)}
          request={request("delete", "/api/admin/banners/{id}", { params: { path: { id: banner.id } } })}
          consequence="Nobody sees it any more."
        />
      ),
    },
  ];

  return (
    <Area
      title="Banners"
      tabs={settingsTabs}
      action={
        <ActionButton request={planNew({ ...blank, message: "…" })} onClick={() => open("true")}>
          New banner
        </ActionButton>
      }
    >
      <Group gap="sm">
        <span className="muted">Shown above every page to everybody who is signed in.</span>
      </Group>
      <Listing
        label="Banners"
        read={read}
        items={banners}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={({ id }) => change({ banner: String(id) })}
        empty="There is no banner."
      />
      {get("new") !== undefined && <NewBanner onClose={() => open(undefined)} />}
      {shown && <ChangeBanner key={shown.id} banner={shown} onClose={() => change({ banner: undefined })} />}
    </Area>
  );
}
