/** The logo: a laid stone with a flag. */
export function Stone() {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden>
      <path
        fill="var(--accent)"
        d="M10.6 2.9h9.8a4 4 0 0 1 3.3 1.8l5.5 8.1a4 4 0 0 1 .3 4l-5 10.1a4 4 0 0 1-3.6 2.2H9.6a4 4 0 0 1-3.4-1.9l-4.1-6.8a4 4 0 0 1-.3-3.5L7 5.4a4 4 0 0 1 3.6-2.5z"
      />
      <path fill="var(--on-accent)" d="M11 8h2v1h10l-2.8 3.5L23 16H13v9h-2z" />
    </svg>
  );
}
