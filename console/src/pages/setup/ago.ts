/** How long ago, while somebody watches: seconds count. */
export function ago(seenAt: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(seenAt)) / 1000));
  return seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} minutes ago`;
}
