import classes from "./charts.module.css";

const around = 2 * Math.PI * 40;

/** A share of a hundred as a ring, with its number in it. */
export function Ring({ share, label }: { share: number; label: string }) {
  return (
    <div className={classes.ring}>
      <svg viewBox="0 0 100 100" role="img" aria-label={`${label}: ${share} %`}>
        <circle cx="50" cy="50" r="40" fill="none" stroke="var(--line)" strokeWidth="10" />
        <circle
          cx="50"
          cy="50"
          r="40"
          fill="none"
          stroke="var(--accent)"
          strokeWidth="10"
          strokeDasharray={`${(share / 100) * around} ${around}`}
          transform="rotate(-90 50 50)"
        />
      </svg>
      <div className={`figures ${classes.ringText}`} aria-hidden>
        {share} %
      </div>
    </div>
  );
}
