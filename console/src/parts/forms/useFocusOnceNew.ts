import { useEffect, useRef, type RefObject } from "react";

/** The field of a part that was just added, which gets the focus: what comes next is to fill it. */
export function useFocusOnceNew<E extends HTMLElement>(isNew: boolean): RefObject<E | null> {
  const field = useRef<E>(null);
  useEffect(() => {
    if (isNew) field.current?.focus();
  }, [isNew]);
  return field;
}
