import { rules } from "./passwords";
import classes from "./PasswordRules.module.css";

/** Which rules a password meets as it is typed. */
export function PasswordRules({ password }: { password: string }) {
  return (
    <ul className={classes.rules} aria-label="Rules of passwords">
      {rules.map(({ says, isMet }) => {
        const met = isMet(password);
        return (
          <li key={says} className={met ? "good" : "muted"}>
            <span aria-hidden>{met ? "✓" : "·"}</span> {says}
            <span className="visually-hidden">{met ? ": met" : ": not yet"}</span>
          </li>
        );
      })}
    </ul>
  );
}
