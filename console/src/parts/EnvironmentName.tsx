interface Props {
  name: string;
  type?: string;
}

export const isProduction = (type: string | undefined) => type === "production";

/** An environment where nothing but text can name it: production has the sign. */
export const environmentOption = ({ name, type }: Props) => ({
  value: name,
  label: isProduction(type) ? `▲ ${name}` : name,
});

/** An environment wherever it is named: production has a sign and a word, not only a colour. */
export function EnvironmentName({ name, type }: Props) {
  if (!isProduction(type)) return <bdi className="breaks">{name}</bdi>;
  return (
    <span className="production-name breaks">
      <span aria-hidden>{"▲\u00a0"}</span>
      <bdi>{name}</bdi>
      {name !== "production" && <span className="production-word"> production</span>}
    </span>
  );
}
