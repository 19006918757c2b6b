// SPDX-License-Identifier: Apache-2.0
// The parts of an admission policy, and their form in a file of the chart.
import { cel } from './cel.ts';

/** A value that expressions use as `variables.NAME`; it is computed once, when it is needed. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** A condition, and the message of a refusal. */
export interface Validation {
  readonly expression: string;
  readonly message: string;
  /** a more detailed message than `message`, as an expression */
  readonly messageExpression?: string;
}

export interface Rules {
  readonly variables: readonly Variable[];
  readonly validations: readonly Validation[];
}

/** An object within an object of Kubernetes. */
export interface ClosedObject {
  /** the variable with it */
  readonly variable: string;
  /** its path, for messages */
  readonly place: string;
  /** required fields, each with one value */
  readonly pins: Readonly<Record<string, unknown>>;
  /** allowed fields, which other rules check */
  readonly free: readonly string[];
  /** a list of further names, as an expression */
  readonly more?: string;
}

/**
 * Rules by which an object has the pinned fields with their values, some of the free ones, and nothing else.
 *
 * INVARIANT (unknown is refused): the API server shows an object to expressions as a map of the fields that are set. So
 * the rule also sees fields that come with a later version of Kubernetes.
 */
export function closed({ variable, place, pins, free, more }: ClosedObject): Rules {
  const [known, unknown] = [`${variable}Known`, `${variable}Unknown`];
  const [pinned, changed] = [`${variable}Pins`, `${variable}Changed`];
  const object = `variables.${variable}`;
  const names = cel([...Object.keys(pins), ...free]);
  const isKept = `k in ${object} && ${object}[k] == variables.${pinned}[k]`;
  const none = (name: string, output: string, message: string): Validation => ({
    expression: `variables.${name}.size() == 0`,
    message: `${message} ${place}`,
    messageExpression: `'${output} ${place}.' + variables.${name}.join(', ${place}.')`,
  });
  const isClosed: Rules = {
    variables: [
      { name: known, expression: more === undefined ? names : `${names} + ${more}` },
      { name: unknown, expression: `${object}.filter(k, !(k in variables.${known}))` },
    ],
    validations: [none(unknown, 'the driver sets no', 'the driver sets no such field of')],
  };
  if (Object.keys(pins).length === 0) return isClosed;
  const isPinned: Rules = {
    variables: [
      { name: pinned, expression: literalOf(pins) },
      { name: changed, expression: `variables.${pinned}.filter(k, !(${isKept}))` },
    ],
    validations: [none(changed, 'the driver sets another', 'the driver sets another value in')],
  };
  return joined([isClosed, isPinned]);
}

/** An expression in place of a value within a literal of pins. */
export class Expression {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** One pin on each line, so that a change of the driver is a changed line of the chart. */
function literalOf(pins: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(pins).map(
    ([name, value]) => `  ${cel(name)}: dyn(${value instanceof Expression ? value.text : cel(value)})`,
  );
  return `{\n${lines.join(',\n')}\n}`;
}

export const joined = (all: readonly Rules[]): Rules => ({
  variables: all.flatMap(({ variables }) => variables),
  validations: all.flatMap(({ validations }) => validations),
});

/** A literal block for several lines: YAML keeps it unchanged. */
function scalar(name: string, text: string): string {
  const lines = text.split('\n');
  return lines.length === 1 ? `${name}: ${JSON.stringify(text)}\n` : `${name}: |-\n    ${lines.join('\n    ')}\n`;
}

/** The text of a file of the chart: `variables` and `validations` of a policy. */
export function policyText(head: string, { variables, validations }: Rules): string {
  const variableTexts = variables.map(
    ({ name, expression }) => `- name: ${name}\n  ${scalar('expression', expression)}`,
  );
  const validationTexts = validations.map(
    ({ expression, message, messageExpression }) =>
      `- message: ${JSON.stringify(message)}\n  ${scalar('expression', expression)}` +
      (messageExpression === undefined ? '' : `  ${scalar('messageExpression', messageExpression)}`),
  );
  return [
    "# Made by tools/src/chart from libs/sandbox-k8s; don't edit.\n",
    `# ${head}\n`,
    'variables:\n',
    ...variableTexts,
    'validations:\n',
    ...validationTexts,
  ].join('');
}
