import { Drawer, Stack } from "@mantine/core";
import { useEnvironments, useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { audience, constraintSentence } from "../../parts/strategies/audience";
import { Answer } from "./Answers";
import { label, type Question } from "./question";
import { given, shareOutcome, type Outcome } from "./reasons";
import { WithMoments } from "../../parts/Moment";
import classes from "./Playground.module.css";

type Result = Schemas["AdvancedPlaygroundResult"];
type Strategy = Result["strategies"]["data"][number];

interface Props {
  feature: Schemas["AdvancedPlaygroundFeature"];
  question: Question;
  onClose: () => void;
}

/** What each strategy, condition and segment said to each who asked. */
export function Why({ feature, question, onClose }: Props) {
  const environments = useEnvironments();
  return (
    <Drawer
      opened
      onClose={onClose}
      size="lg"
      title={
        <>
          Why <bdi>{feature.name}</bdi>
        </>
      }
    >
      <Stack gap="md">
        {question.environments.flatMap((environment) =>
          (feature.environments[environment] ?? []).map((result, at) => (
            <section
              key={`${environment} ${at}`}
              className="card"
              aria-label={`${environment} ${label(result.context, question)}`}
            >
              <strong>
                <EnvironmentName
                  name={environment}
                  type={environments.find(({ name }) => name === environment)?.type}
                />{" "}
                <bdi>
                  <WithMoments text={label(result.context, question)} />
                </bdi>
              </strong>
              : <Answer result={result} />
              <Reasons result={result} />
            </section>
          )),
        )}
      </Stack>
    </Drawer>
  );
}

function Reasons({ result }: { result: Result }) {
  const { isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, strategies } = result;
  return (
    <ul className={classes.reasons}>
      <Line holds={isEnabledInCurrentEnvironment}>
        {isEnabledInCurrentEnvironment ? "it is switched on there" : "it is switched off there"}
      </Line>
      {hasUnsatisfiedDependency && <Line holds={false}>a flag that it depends on is not so</Line>}
      {strategies.data.length === 0 && <Line holds>it has no strategy there: what is on is on for everybody</Line>}
      {strategies.data.map((strategy) => (
        <StrategyLine key={strategy.id} strategy={strategy} context={result.context} />
      ))}
    </ul>
  );
}

function StrategyLine({ strategy, context }: { strategy: Strategy; context: Result["context"] }) {
  const segments = useRead(request("get", "/api/admin/segments"), { staleTime: 60_000 }).data?.segments ?? [];
  const { name, parameters, disabled, title, result, constraints, fault } = strategy;
  const enabled: boolean | "unknown" = result.enabled;
  const share = audience({ name, parameters });
  const isConditional = constraints.length + strategy.segments.length > 0;
  return (
    <Line holds={disabled ? false : enabled}>
      {title ? `${title}${isConditional ? "" : `: ${share}`}` : isConditional ? "Strategy" : share}
      {disabled && " (disabled: it does not count)"}
      {fault && (
        <span className="breaks">
          {" "}
          (cannot be evaluated: <bdi>{fault}</bdi>)
        </span>
      )}
      {isConditional && (
        <ul className={classes.reasons}>
          <ConstraintLines constraints={constraints} context={context} />
          {strategy.segments.map((segment) => (
            <Line key={segment.id} holds={segment.result}>
              in segment {segments.find(({ id }) => id === segment.id)?.name ?? segment.name}
              {segment.constraints.length > 0 && (
                <ul className={classes.reasons}>
                  <ConstraintLines constraints={segment.constraints} context={context} />
                </ul>
              )}
            </Line>
          ))}
          <Line holds={shareOutcome(strategy)}>{share}</Line>
        </ul>
      )}
    </Line>
  );
}

interface ConstraintsProps {
  constraints: Strategy["constraints"];
  context: Result["context"];
}

function ConstraintLines({ constraints, context }: ConstraintsProps) {
  return constraints.map((constraint, at) => {
    const value = given(constraint.contextName, context);
    return (
      <Line key={at} holds={constraint.result}>
        <WithMoments text={constraintSentence(constraint)} />
        {value && (
          <span className="muted">
            {" "}
            (<WithMoments text={value} />)
          </span>
        )}
      </Line>
    );
  });
}

const marks: Record<"unknown" | "undecided" | "true" | "false", [sign: string, word: string, look: string]> = {
  unknown: ["?", "depends on the application", "warning"],
  undecided: ["–", "not decided", "muted"],
  true: ["✓", "holds", "good"],
  false: ["✗", "does not hold", "danger"],
};

function Line({ holds, children }: { holds: Outcome; children: React.ReactNode }) {
  const [sign, word, look] = marks[`${holds}`];
  return (
    <li className="breaks">
      <span className={look} aria-hidden>
        {sign}
      </span>
      <span className="visually-hidden">{word}:</span> <bdi>{children}</bdi>
    </li>
  );
}
