// Where libraries differ from each other for the same rule and the same person, so that no server can agree with all.

/** Why a library is known to answer differently, or undefined. */
export function knownDifference() {
  return undefined;
}
