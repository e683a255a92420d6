import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconCode, IconHelp, IconMenu2, IconSearch } from "@tabler/icons-react";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState } from "react";
import { me, useRead } from "../../api/queries";
import { onEnrolmentRequired, onSignedOut } from "../../api/client";
import { Refusal } from "../../api/refusal";
import { arriving } from "../arriving";
import { DraftBanner } from "../change-requests/DraftBanner";
import { WaitingCount } from "../change-requests/WaitingCount";
import { FreezeBand } from "../freezes/FreezeBand";
import { useKeys } from "../keys";
import { useLive } from "../live/useLive";
import { useLastProject } from "../project/offered";
import { Unread } from "../Unread";
import { Waiting } from "../Waiting";
import { RequestDrawer } from "../requests/RequestDrawer";
import { MyMenu } from "./MyMenu";
import { Arrival } from "./Arrival";
import { areas } from "./areas";
import { Banners } from "./Banners";
import { Bell } from "./Bell";
import { useAdministration } from "./administration";
import { MaintenanceBand } from "./MaintenanceBand";
import { SignInAgain } from "./SignInAgain";
import { Stone } from "./Stone";
import { useFocusReturn } from "./useFocusReturn";
import { ScrollingNav } from "../ScrollingNav";
import classes from "./Frame.module.css";

const beside = { waiting: null, isBeside: true };
const Palette = arriving(() => import("./Palette"), beside);
const KeyHelp = arriving(() => import("./KeyHelp"), beside);
const MustEnrol = arriving(() => import("./MustEnrol"));

/** What is around every page of somebody who is signed in. */
export function Frame() {
  const navigate = useNavigate();
  const asking = useRead(me);
  const [isSignedOut, setSignedOut] = useState(false);
  const [shown, setShown] = useState<"requests" | "keys" | "palette">();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isEnrolling, setEnrolling] = useState(false);
  const isKnown = asking.data !== undefined;
  // It stays until the recovery codes are kept, which come after the session is a whole one.
  if (asking.data?.mustEnrol && !isEnrolling) setEnrolling(true);
  useLive(isSignedOut || isEnrolling ? undefined : asking.data?.user.id);
  useLastProject();
  useFocusReturn();
  const everywhere = [...areas, ...useAdministration()];

  // What was asked before somebody signed in again tells nothing of them.
  const entered = useRef(0);
  useEffect(() => onSignedOut((began) => began > entered.current && setSignedOut(true)), []);
  const { refetch } = asking;
  useEffect(() => onEnrolmentRequired(() => void refetch({ cancelRefetch: false })), [refetch]);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setShown("palette");
      }
    };
    if (isEnrolling) return;
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, [isEnrolling]);
  useKeys(
    isEnrolling
      ? {}
      : {
          ...Object.fromEntries(
            everywhere.map(({ name, to, key }) => [key, { does: `Go to ${name}`, run: () => void navigate({ to }) }]),
          ),
          R: { does: "Show the requests of this tab", run: () => setShown("requests") },
          "?": { does: "Show the keys", run: () => setShown("keys") },
        },
  );

  const isStranger = asking.error instanceof Refusal && asking.error.status === 401 && !isKnown;
  useEffect(() => {
    if (isStranger)
      void navigate({ to: "/sign-in", search: { to: location.pathname + location.search }, replace: true });
  }, [isStranger, navigate]);
  if (isStranger) return null;
  if (isEnrolling && asking.data) return <MustEnrol user={asking.data.user} onDone={() => setEnrolling(false)} />;

  return (
    <div className={classes.frame}>
      <a href="#main" className={classes.skip} onClick={toMain}>
        Skip to the page
      </a>
      <header className={classes.top}>
        <span className={classes.menu}>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconMenu2 size={16} aria-hidden />}
            aria-expanded={isMenuOpen}
            aria-controls="areas"
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            Menu
          </Button>
        </span>
        <Link to="/" className={classes.brand}>
          <Stone />
          <span className={classes.word}>Flagstone</span>
        </Link>
        <span className={classes.space} />
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconSearch size={16} aria-hidden />}
          onClick={() => setShown("palette")}
        >
          Go to … <kbd className={`${classes.wide} muted`}>&nbsp;Ctrl K</kbd>
        </Button>
        <Top
          label="Requests of this tab"
          icon={<IconCode size={18} aria-hidden />}
          onClick={() => setShown("requests")}
        />
        <Top label="Keys" icon={<IconHelp size={18} aria-hidden />} onClick={() => setShown("keys")} />
        {isKnown && <Bell />}
        {asking.data && <MyMenu user={asking.data.user} />}
      </header>
      <Arrival person={asking.data?.user.id} />
      <ScrollingNav id="areas" className={`${classes.side} ${isMenuOpen ? classes.open : ""}`} label="Areas">
        {everywhere.map(({ name, to, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className={classes.link}
            activeProps={{ "aria-current": "page" }}
            activeOptions={{ includeSearch: false, exact: to === "/" }}
            onClick={() => setMenuOpen(false)}
          >
            <Icon size={16} aria-hidden />
            {name}
            {to === "/change-requests" && isKnown && <WaitingCount />}
          </Link>
        ))}
      </ScrollingNav>
      <main id="main" className={classes.main} tabIndex={-1}>
        {isKnown && <MaintenanceBand />}
        {isKnown && <Banners />}
        {isKnown && <FreezeBand />}
        {isKnown && <DraftBanner />}
        {isKnown ? (
          <Suspense fallback={<Waiting />}>
            <Outlet />
          </Suspense>
        ) : (
          <Unread read={asking} />
        )}
      </main>
      <RequestDrawer opened={shown === "requests"} onClose={() => setShown(undefined)} />
      {shown === "keys" && <KeyHelp onClose={() => setShown(undefined)} />}
      {shown === "palette" && <Palette onClose={() => setShown(undefined)} />}
      {isSignedOut && isKnown && (
        <SignInAgain
          onDone={() => {
            entered.current = performance.now();
            setSignedOut(false);
          }}
        />
      )}
    </div>
  );
}

function toMain(event: React.MouseEvent) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Top({ label, icon, onClick }: { label: string; icon: React.ReactNode; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
