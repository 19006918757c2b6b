// SPDX-License-Identifier: Apache-2.0
import { readRedaction, TOOLS, type ApproverDemand } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { LRUCache } from 'lru-cache';
import { callCedar, CedarFailure } from './cedar-instance.ts';
import type { PolicyDocument, PolicySetSource } from './document/policy-document.ts';
import { readDocument } from './document/read-document.ts';
import { problemOf, PolicySetError, type PolicyProblem } from './problems.ts';
import { demandOf, reserves, supervisionProblems } from './rules/approver-groups.ts';
import { located, readRules, RESERVED_IDS, verifyAnswer } from './rules/cedar-text.ts';
import type { RuleText } from './rules/rule-text.ts';
import type { ArgumentReads } from './arguments/argument-reads.ts';
import { checkedRule, type CheckedRule } from './rules/checked-rule.ts';
import { readsOfAll } from './rules/reads.ts';
import { groupProblems, IMPOSSIBLE_HELP, isImpossible } from './rules/impossible.ts';
import { groupsOf, policySchema, schemaVersionFor, type PolicyTool } from './rules/schema.ts';
import { appliesToTool, redacts, sliceOf, type Tool, type ToolSlice } from './rules/slices.ts';
import { redactionProblems } from './redaction/redaction-problems.ts';

/** One rule of a set's Cedar text, by its `@id`. */
export interface PolicyRule {
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  /** the rule's `@reason`, or words with its id */
  readonly reason: string;
  /** the rule's `@would_pass`: what a call that the rule forbids would need; null without one */
  readonly would_pass: string | null;
  /** the rule's `@quorum`: how many people must approve at its supervision; null without one */
  readonly quorum: number | null;
  /** the rule's `@approvers`: who must approve the calls that it applies to; null without one */
  readonly demands: ApproverDemand | null;
  /** the rule's `@redact`: JSON pointers to what it redacts of a result; null for a rule on calls */
  readonly redacts: readonly string[] | null;
  readonly text: string;
}

/** A checked policy set. Immutable; a tenant's active one is identified by its hash. */
export interface PolicySet {
  /** lower-case hex SHA-256 over the completed document and the schema's version */
  readonly policy_hash: string;
  readonly document: PolicyDocument;
  readonly rules: ReadonlyMap<string, PolicyRule>;
  /** valid but odd parts, including `impossible` */
  readonly warnings: readonly PolicyProblem[];
  /** rules that can never apply: activating the set needs an explicit consent */
  readonly impossible: readonly PolicyProblem[];
  /** the rules that can apply to a tool */
  readonly sliceFor: (tool: Tool) => ToolSlice;
}

/** The result of checking a set, as data, so that another thread may check. */
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
 * @throws PolicySetError with all problems: a JSON pointer for the document, line and column for the rules, and the
 * remedy.
 */
export function compilePolicySet(
  source: PolicySetSource | Readonly<Record<string, unknown>>,
  tools: Iterable<PolicyTool> = TOOLS.values(),
): PolicySet {
  return policySetOf(checkPolicySet(source, tools));
}

/**
 * `new`: all rules must fit the tools. `stored`: the set passed when it was stored, and tools may have changed since. A
 * rule that reads arguments and doesn't fit a tool any more refuses the calls of that tool, and the rest of the set
 * stays in force.
 */
export type PolicySetAge = 'new' | 'stored';

/**
 * The slow part for sets with many or large rules: everything but the preparation for decisions.
 * @throws PolicySetError as `compilePolicySet`
 */
export function checkPolicySet(
  source: PolicySetSource | Readonly<Record<string, unknown>>,
  tools: Iterable<PolicyTool> = TOOLS.values(),
  age: PolicySetAge = 'new',
): CheckedPolicySet {
  try {
    return check(source, [...tools], age);
  } catch (error) {
    if (error instanceof CedarFailure)
      throw new PolicySetError([problemOf('/cedar', 'the policy engine gave up on the rules', 'write them simpler')]);
    throw error;
  }
}

function check(
  source: PolicySetSource | Readonly<Record<string, unknown>>,
  all: readonly PolicyTool[],
  age: PolicySetAge,
): CheckedPolicySet {
  const { document, problems } = readDocument(source, all);
  if (document === null) throw new PolicySetError(problems);
  const read = readRules(document.cedar);
  const rules = new Map([...read.rules].map(([id, rule]) => [id, checkedRule(rule)]));
  const { args } = readsOfAll([...rules.values()].map(({ reads }) => reads));
  const readsArguments = (id: string): boolean => rules.get(id)?.reads.args !== null;
  const mayNotFit = (id: string): boolean => age === 'stored' && readsArguments(id);
  const checked = validate(document.cedar, read.rules, { tools: all, args, readsArguments, mayNotFit });
  const redaction = redactionProblems(document.cedar, rules, read.rules, age === 'new' ? all : []);
  const wrong = [
    ...problems,
    ...idProblems(document, read.rules),
    ...read.problems,
    ...checked.errors,
    ...redaction.errors,
    ...supervisionProblems(document.cedar, rules, read.rules),
  ];
  if (wrong.length > 0) throw new PolicySetError(wrong);
  const schema = schemaVersionFor({
    reserves: [...rules.values()].some(reserves),
    redacts: [...rules.values()].some(redacts),
    readsArguments: args !== null,
  });
  return {
    policy_hash: sha256Hex(canonicalBytes({ document, schema, v: 1 })),
    document,
    rules,
    warnings: byPosition([...checked.warnings, ...redaction.warnings]),
    impossible: checked.impossible,
  };
}

/** Prepares a checked set for decisions. Callers MUST pass a result of `checkPolicySet`. */
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

/** Every rule here has annotations, since an id is one. */
function ruleOf(id: string, rule: CheckedRule): PolicyRule {
  const { text, effect, annotations } = rule;
  const { reason, would_pass, quorum, redact } = annotations;
  const redaction = redact === undefined ? null : readRedaction(redact);
  return {
    id,
    effect,
    reason: reason ?? `rule \`${id}\``,
    would_pass: would_pass ?? null,
    quorum: quorum === undefined ? null : Number(quorum),
    demands: demandOf(rule),
    redacts: redaction?.ok === true ? redaction.pointers : null,
    text,
  };
}

/** Limit on cached slices: more than the tools that a tenant may have in force. */
const SLICES_MAX = 1_024;

/**
 * Slices by tool, each made on first use: with many rules and tools, making all at once would take long. The one that
 * was not used for the longest time makes place: what is remembered about a slice must last from one call to the next.
 */
function slicer(rules: ReadonlyMap<string, CheckedRule>): PolicySet['sliceFor'] {
  const slices = new LRUCache<string, ToolSlice>({ max: SLICES_MAX });
  return (tool) => {
    const key = `${tool.category} ${tool.tool_id}`;
    const slice = slices.get(key) ?? sliceOf(rules, tool);
    slices.set(key, slice);
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

/** What rules are validated against, and those whose errors don't count. */
interface Validation {
  readonly tools: readonly PolicyTool[];
  /** the arguments that the rules read; null: none */
  readonly args: ArgumentReads | null;
  readonly readsArguments: (id: string) => boolean;
  readonly mayNotFit: (id: string) => boolean;
}

/** The schema with the tools that the rules can apply to; all others are only named. */
function schemaFor(
  reading: readonly (readonly [string, RuleText])[],
  tools: readonly PolicyTool[],
  args: ArgumentReads | null,
): string {
  const rules = reading.map(([, rule]) => checkedRule(rule));
  const met = new Set(tools.filter((tool) => appliesToTool(rules, tool)));
  const others = tools.filter((tool) => !met.has(tool)).flatMap((tool) => [tool.tool_id, ...groupsOf(tool)]);
  return policySchema(met, args, others);
}

function validateRules(rules: readonly (readonly [string, RuleText])[], schema: string) {
  const staticPolicies = Object.fromEntries(rules.map(([id, { text }]) => [id, text]));
  return verifyAnswer(callCedar((cedar) => cedar.validate({ schema, policies: { staticPolicies } })));
}

function validate(
  source: string,
  rules: ReadonlyMap<string, RuleText>,
  { tools, args, readsArguments, mayNotFit }: Validation,
): Checked {
  // A schema with the arguments of all tools makes the check of a rule slow, and most rules need none.
  const [reading, others] = [
    [...rules].filter(([id]) => readsArguments(id)),
    [...rules].filter(([id]) => !readsArguments(id)),
  ];
  const answers = [
    ...(others.length === 0 && reading.length > 0 ? [] : [validateRules(others, policySchema(tools, null))]),
    ...(reading.length === 0 ? [] : [validateRules(reading, schemaFor(reading, tools, args))]),
  ];
  const validationErrors = answers.flatMap((answer) => answer.validationErrors);
  const validationWarnings = answers.flatMap((answer) => answer.validationWarnings);
  const locatedOnce = (found: typeof validationErrors): PolicyProblem[] =>
    onePerPosition(found.map(({ policyId, error }) => located(source, (rules.get(policyId) as RuleText).at, error)));
  const validatorWarnings = locatedOnce(validationWarnings);
  const groups = groupProblems(source, rules, tools);
  const impossible = onePerPosition([
    ...validatorWarnings.filter(({ message }) => isImpossible(message)),
    ...groups.impossible,
  ]).map(withHelp);
  const odd = [...validatorWarnings.filter(({ message }) => !isImpossible(message)), ...groups.odd];
  return {
    errors: locatedOnce(validationErrors.filter(({ policyId }) => !mayNotFit(policyId))),
    impossible,
    warnings: byPosition([...odd, ...impossible]),
  };
}

const withHelp = (problem: PolicyProblem): PolicyProblem => ({
  ...problem,
  help: [problem.help, IMPOSSIBLE_HELP].filter((words) => words !== '').join(', or else '),
});

/** One problem per position, the last one: the validator reports a position once for every tool of the rule. */
function onePerPosition(problems: readonly PolicyProblem[]): PolicyProblem[] {
  const placed = problems.map((problem) => [`${String(problem.line)}:${String(problem.column)}`, problem] as const);
  return byPosition([...new Map(placed).values()]);
}

const byPosition = (problems: readonly PolicyProblem[]): PolicyProblem[] =>
  problems.toSorted((a, b) => (a.line as number) - (b.line as number) || (a.column as number) - (b.column as number));
