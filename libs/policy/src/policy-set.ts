// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { askCedar, CedarFailure } from './cedar-instance.ts';
import type { PolicyDocument, PolicySetSource } from './document/policy-document.ts';
import { readDocument } from './document/read-document.ts';
import { problemOf, PolicySetError, type PolicyProblem } from './problems.ts';
import { located, readRules, RESERVED_IDS, verifyAnswer } from './rules/cedar-text.ts';
import type { RuleText } from './rules/rule-text.ts';
import { checkedRule, type CheckedRule } from './rules/checked-rule.ts';
import { groupProblems, IMPOSSIBLE_HELP, isImpossible } from './rules/impossible.ts';
import { policySchema, POLICY_SCHEMA_VERSION } from './rules/schema.ts';
import { sliceOf, type Tool, type ToolSlice } from './rules/slices.ts';

/** One rule of a set's Cedar text, by its `@id`. */
export interface PolicyRule {
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  /** the rule's `@reason`, or words made of its id */
  readonly reason: string;
  /**
   * the rule's `@would_pass`: what a call lacks, or has too much of, that the rule forbids; null where it doesn't say
   */
  readonly would_pass: string | null;
  /** the rule's `@quorum`: how many people must approve where it asks for supervision; null where it doesn't say */
  readonly quorum: number | null;
  readonly text: string;
}

/** A policy set that was read and checked. Immutable; a tenant's active one is known by its hash. */
export interface PolicySet {
  /** lower-case hex SHA-256 over the completed document and the schema's version */
  readonly policy_hash: string;
  readonly document: PolicyDocument;
  readonly rules: ReadonlyMap<string, PolicyRule>;
  /** what is allowed but odd, those of `impossible` among it */
  readonly warnings: readonly PolicyProblem[];
  /** rules that can never apply: whoever activates the set has to want that */
  readonly impossible: readonly PolicyProblem[];
  /** the rules that a tool can meet */
  readonly sliceFor: (tool: Tool) => ToolSlice;
}

/** What was read and checked of a set, as data: whoever checks may do so in another thread. */
export interface CheckedPolicySet {
  readonly policy_hash: string;
  readonly document: PolicyDocument;
  readonly rules: ReadonlyMap<string, CheckedRule>;
  readonly warnings: readonly PolicyProblem[];
  readonly impossible: readonly PolicyProblem[];
}

/**
 * Reads and checks a policy set: its shape, its Cedar text against the schema of the tools, ids, thresholds and
 * patterns.
 *
 * @throws PolicySetError with everything that is wrong: a JSON pointer for the document, line and column for the rules,
 * and what to do.
 */
export function compilePolicySet(
  source: PolicySetSource | Readonly<Record<string, unknown>>,
  tools: Iterable<Tool> = TOOLS.values(),
): PolicySet {
  return policySetOf(checkPolicySet(source, tools));
}

/**
 * The part of it that takes long, with rules that are many or large: everything but making the set ready.
 * @throws PolicySetError as `compilePolicySet`
 */
export function checkPolicySet(
  source: PolicySetSource | Readonly<Record<string, unknown>>,
  tools: Iterable<Tool> = TOOLS.values(),
): CheckedPolicySet {
  try {
    return check(source, [...tools]);
  } catch (error) {
    if (error instanceof CedarFailure)
      throw new PolicySetError([problemOf('/cedar', 'the policy engine gave up on the rules', 'write them simpler')]);
    throw error;
  }
}

function check(source: PolicySetSource | Readonly<Record<string, unknown>>, all: readonly Tool[]): CheckedPolicySet {
  const { document, problems } = readDocument(source, all);
  if (document === null) throw new PolicySetError(problems);
  const read = readRules(document.cedar);
  const checked = validate(document.cedar, read.rules, all);
  const wrong = [...problems, ...idProblems(document, read.rules), ...read.problems, ...checked.errors];
  if (wrong.length > 0) throw new PolicySetError(wrong);
  return {
    policy_hash: sha256Hex(canonicalBytes({ document, schema: POLICY_SCHEMA_VERSION, v: 1 })),
    document,
    rules: new Map([...read.rules].map(([id, rule]) => [id, checkedRule(rule)])),
    warnings: checked.warnings,
    impossible: checked.impossible,
  };
}

/** Makes a checked set ready to be asked. Callers MUST pass what `checkPolicySet` answered. */
export function policySetOf({ policy_hash, document, rules, warnings, impossible }: CheckedPolicySet): PolicySet {
  return {
    policy_hash,
    document,
    rules: new Map([...rules].map(([id, rule]) => [id, ruleOf(id, rule)])),
    warnings,
    impossible,
    sliceFor: slicer(rules),
  };
}

/** Only rules that have annotations come so far: an id is one. */
function ruleOf(id: string, { text, effect, annotations }: CheckedRule): PolicyRule {
  const { reason, would_pass, quorum } = annotations;
  return {
    id,
    effect,
    reason: reason ?? `rule \`${id}\``,
    would_pass: would_pass ?? null,
    quorum: quorum === undefined ? null : Number(quorum),
    text,
  };
}

/** Slices of tools that are kept: more than tenants have tools, and a bound where they don't. */
const SLICES_MAX = 1_024;

/**
 * Slices by tool, each cut when it is first asked for: all of them at once would take long where rules and tools are
 * many.
 */
function slicer(rules: ReadonlyMap<string, CheckedRule>): PolicySet['sliceFor'] {
  const keyOf = ({ tool_id, category }: Tool): string => `${category} ${tool_id}`;
  const slices = new Map<string, ToolSlice>();
  return (tool) => {
    const known = slices.get(keyOf(tool));
    if (known !== undefined) return known;
    const slice = sliceOf(rules, tool);
    if (slices.size < SLICES_MAX) slices.set(keyOf(tool), slice);
    return slice;
  };
}

function idProblems({ history }: PolicyDocument, rules: ReadonlyMap<string, RuleText>): PolicyProblem[] {
  return history.flatMap(({ id }, n) => {
    if (rules.has(id))
      return [
        problemOf(
          `/history/${n}/id`,
          `the id \`${id}\` is that of a rule in the text too`,
          'give each rule an id of its own',
        ),
      ];
    return RESERVED_IDS.includes(id)
      ? [problemOf(`/history/${n}/id`, `the id \`${id}\` stands for something else in decisions`, 'take another')]
      : [];
  });
}

interface Checked {
  readonly errors: readonly PolicyProblem[];
  readonly warnings: readonly PolicyProblem[];
  readonly impossible: readonly PolicyProblem[];
}

function validate(source: string, rules: ReadonlyMap<string, RuleText>, tools: readonly Tool[]): Checked {
  const staticPolicies = Object.fromEntries([...rules].map(([id, { text }]) => [id, text]));
  const { validationErrors, validationWarnings } = verifyAnswer(
    askCedar((cedar) => cedar.validate({ schema: policySchema(tools), policies: { staticPolicies } })),
  );
  const locatedOnce = (found: typeof validationErrors): PolicyProblem[] =>
    eachPlace(found.map(({ policyId, error }) => located(source, (rules.get(policyId) as RuleText).at, error)));
  const said = locatedOnce(validationWarnings);
  const groups = groupProblems(source, rules, tools);
  const impossible = eachPlace([...said.filter(({ message }) => isImpossible(message)), ...groups.impossible]).map(
    withHelp,
  );
  const odd = [...said.filter(({ message }) => !isImpossible(message)), ...groups.odd];
  return { errors: locatedOnce(validationErrors), impossible, warnings: byPlace([...odd, ...impossible]) };
}

const withHelp = (problem: PolicyProblem): PolicyProblem => ({
  ...problem,
  help: [problem.help, IMPOSSIBLE_HELP].filter((words) => words !== '').join(', or else '),
});

/** Of problems of one place the last: the validator tells of one place once for every tool that the rule speaks of. */
function eachPlace(problems: readonly PolicyProblem[]): PolicyProblem[] {
  const placed = problems.map((problem) => [`${String(problem.line)}:${String(problem.column)}`, problem] as const);
  return byPlace([...new Map(placed).values()]);
}

const byPlace = (problems: readonly PolicyProblem[]): PolicyProblem[] =>
  problems.toSorted((a, b) => (a.line as number) - (b.line as number) || (a.column as number) - (b.column as number));
