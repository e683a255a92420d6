import { useEffect, useState, type ComponentType, type FunctionComponent, type ReactNode } from "react";
import { styles, whyMissing, type Trouble } from "../api/bundle";
import { Waiting } from "./Waiting";
import { Missing } from "./Missing";

const pause = 5_000;

interface Options {
  /** While it has not come: nothing for what lies over the page. */
  waiting?: ReactNode;
  /** Whether the page around it goes on working meanwhile. */
  isBeside?: boolean;
}

type Arriving<P> = FunctionComponent<P> & { preload: () => Promise<void> };

/**
 * A part of the console that is loaded when it is first shown. While the server is away it is asked for again every five
 * seconds, in its place: what is around it stays.
 */
export function arriving<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  { waiting = <Waiting />, isBeside = false }: Options = {},
): Arriving<P> {
  let known: ComponentType<P> | undefined;
  const fetched = async () => (known ??= (await load()).default);

  function Part(props: P) {
    const [Shown, setShown] = useState(() => known);
    const [trouble, setTrouble] = useState<Trouble>();
    useEffect(() => {
      if (Shown) return;
      let isGone = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const attempt = async (isAgain = false) => {
        try {
          if (isAgain) await styles();
          const part = await fetched();
          if (!isGone) setShown(() => part);
        } catch {
          const why = await whyMissing();
          if (isGone) return;
          setTrouble(why);
          timer = setTimeout(() => void attempt(true), pause);
        }
      };
      void attempt();
      return () => {
        isGone = true;
        clearTimeout(timer);
      };
    }, [Shown]);
    if (Shown) return <Shown {...props} />;
    return trouble ? <Missing trouble={trouble} isBeside={isBeside} /> : waiting;
  }
  // The page before stays until the next one has come, where it does come.
  Part.preload = () =>
    fetched().then(
      () => undefined,
      () => undefined,
    );
  return Part;
}
