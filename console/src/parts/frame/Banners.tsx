import { Modal, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { root } from "../../api/client";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { Markdown } from "../markdown/Markdown";
import classes from "./Banners.module.css";

type Banner = Schemas["Banner"];

const minute = 60_000;

/** What an administrator tells everybody, above every page. */
export function Banners() {
  const read = useRead(request("get", "/api/admin/banners"), { staleTime: minute, refetchInterval: minute });
  const shown = (read.data?.banners ?? []).filter(({ enabled }) => enabled);
  return shown.map((banner) => (
    <div
      key={banner.id}
      role="status"
      className={`${classes.banner} ${classes[banner.variant]} ${banner.sticky ? classes.sticky : ""}`}
    >
      <div className={classes.text}>
        <Markdown text={banner.message} />
      </div>
      <More banner={banner} />
    </div>
  ));
}

function More({ banner: { link, linkText, dialog, dialogTitle } }: { banner: Banner }) {
  const [isOpen, setOpen] = useState(false);
  if (!link) return null;
  const text = linkText ?? "More info";
  if (link !== "dialog") {
    // A path is one of the console, which is below the server's address.
    const href = link.startsWith("/") && !link.startsWith("//") ? `${root}/console${link}` : link;
    return (
      <a href={href} rel="noopener noreferrer">
        {text}
      </a>
    );
  }
  return (
    <>
      <UnstyledButton className={classes.more} onClick={() => setOpen(true)}>
        {text}
      </UnstyledButton>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={dialogTitle ?? text}>
        <div className={classes.text}>{dialog && <Markdown text={dialog} />}</div>
      </Modal>
    </>
  );
}
