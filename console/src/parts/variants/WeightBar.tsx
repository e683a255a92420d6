import classes from "./Variants.module.css";
import { sharesInWords, type Variant } from "./weights";

/** Shares as one bar, and in words beneath. */
export function WeightBar({ variants }: { variants: readonly Variant[] }) {
  const words = sharesInWords(variants, " · ");
  return (
    <div>
      <div className={classes.weights} role="img" aria-label={words || "none"}>
        {variants.map(({ weight }, at) => (
          <span
            key={at}
            className={classes.weight}
            style={{ flexGrow: weight, background: `var(--chart-${(at % 5) + 1})` }}
          />
        ))}
      </div>
      <span className="muted breaks">{words || "none"}</span>
    </div>
  );
}
