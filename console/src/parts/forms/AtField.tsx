import {
  cloneElement,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  type ReactElement,
  type ReactNode,
} from "react";
import { same } from "../conflict/merge";
import { Problem } from "../Problem";
import { NameRefused } from "./NameRefused";
import { complaintAt, isAllBeside } from "./complaints";
import { WithMoments } from "../Moment";

interface Refused {
  error: unknown;
  /** Says that the place has a field, until it is gone. */
  show: (place: string) => () => void;
  places: ReadonlySet<string>;
}

const RefusedForm = createContext<Refused | undefined>(undefined);

/** A form, of which the fields say themselves what was refused of them. */
export function WithRefusal({ error, children }: { error: unknown; children: ReactNode }) {
  const [places, setPlaces] = useState<ReadonlySet<string>>(new Set());
  const show = useCallback((place: string) => {
    setPlaces((before) => new Set([...before, place]));
    return () => setPlaces((before) => new Set([...before].filter((one) => one !== place)));
  }, []);
  const refused = useMemo(() => ({ error, places, show }), [error, places, show]);
  return <RefusedForm value={refused}>{children}</RefusedForm>;
}

/** What was refused of the field with this place in the body, until it has another value. */
function useRefusedAt(place: string, value: unknown): string | undefined {
  const refused = useContext(RefusedForm);
  const show = refused?.show;
  useEffect(() => show?.(place), [show, place]);
  const error = refused?.error;
  const [sent, setSent] = useState({ error, value });
  if (sent.error !== error) setSent({ error, value });
  return same(sent.value, value) ? complaintAt(error, place) : undefined;
}

interface AtFieldProps {
  /** Its place below `/body/`. */
  of: string;
  /** Takes a proposal, for names that can be part of addresses. */
  use?: (name: string) => void;
  children: ReactElement<{ error?: ReactNode; value?: unknown }>;
}

/** A field that says what was refused of it. Its own objection, while it is typed, comes first. */
export function AtField({ of, use, children }: AtFieldProps) {
  const { error, value } = children.props;
  const said = useRefusedAt(of, value);
  if (!said) return children;
  const shown =
    use && typeof value === "string" ? (
      <NameRefused said={said} typed={value} use={use} />
    ) : (
      <WithMoments text={said} />
    );
  return cloneElement(children, { error: error ?? shown });
}

/** What was refused of the form, unless its fields say all of it. */
export function RestOfRefusal() {
  const refused = useContext(RefusedForm);
  if (!refused || isAllBeside(refused.error, refused.places)) return null;
  return <Problem error={refused.error} />;
}
