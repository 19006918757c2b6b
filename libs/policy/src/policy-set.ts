// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { askCedar, CedarFailure } from './cedar-instance.ts';
import type { PolicyDocument, PolicySetSource } from './document/policy-document.ts';
import { readDocument } from './document/read-document.ts';
import { problemOf, PolicySetError, type PolicyProblem } from './problems.ts';
import { located, readRules, RESERVED_IDS, verifyAnswer, type RuleText } from './rules/cedar-text.ts';
import { policySchema, POLICY_SCHEMA_VERSION } from './rules/schema.ts';
import { sliceOf, type Tool, type ToolSlice } from './rules/slices.ts';

/** One rule of a set's Cedar text, by its `@id`. */
export interface PolicyRule {
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  /** the rule's `@reason`, or words made of its id */
  readonly reason: string;
  /** the rule's `@would_pass`: what a call lacks, or has too much of, that the rule forbids; null where it doesn't say */
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
  /** what is allowed but odd: rules that can never apply */
  readonly warnings: readonly PolicyProblem[];
  /** the rules that a tool can meet */
  readonly sliceFor: (tool: Tool) => ToolSlice;
}

/**
 * Reads and checks a policy set: its shape, its Cedar text against the schema of the tools, ids, thresholds and patterns.
 *
 * @throws PolicySetError with everything that is wrong: a JSON pointer for the document, line and column for the rules, and what to do.
 */
export function compilePolicySet(source: PolicySetSource | Readonly<Record<string, unknown>>, tools: Iterable<Tool> = TOOLS.values()): PolicySet {
  try {
    return compile(source, [...tools]);
  } catch (error) {
    if (error instanceof CedarFailure) throw new PolicySetError([problemOf('/cedar', 'the policy engine gave up on the rules', 'write them simpler')]);
    throw error;
  }
}

function compile(source: PolicySetSource | Readonly<Record<string, unknown>>, all: readonly Tool[]): PolicySet {
  const { document, problems } = readDocument(source, all);
  if (document === null) throw new PolicySetError(problems);
  const read = readRules(document.cedar);
  const checked = check(document.cedar, read.rules, all);
  const wrong = [...problems, ...idProblems(document, read.rules), ...read.problems, ...checked.errors];
  if (wrong.length > 0) throw new PolicySetError(wrong);
  return {
    policy_hash: sha256Hex(canonicalBytes({ document, schema: POLICY_SCHEMA_VERSION, v: 1 })),
    document,
    rules: new Map([...read.rules].map(([id, rule]) => [id, ruleOf(id, rule)])),
    warnings: checked.warnings,
    sliceFor: slicer(read.rules, all),
  };
}

/** Only rules that have annotations come so far: an id is one. */
function ruleOf(id: string, { text, json }: RuleText): PolicyRule {
  const { reason, would_pass, quorum } = json.annotations as Partial<Record<string, string>>;
  return { id, effect: json.effect, reason: reason ?? `rule \`${id}\``, would_pass: would_pass ?? null, quorum: quorum === undefined ? null : Number(quorum), text };
}

/** Slices of the tools that there are, made at once; one of any other tool is cut when it is asked for. */
function slicer(rules: ReadonlyMap<string, RuleText>, tools: readonly Tool[]): PolicySet['sliceFor'] {
  const keyOf = ({ tool_id, category }: Tool): string => `${category} ${tool_id}`;
  const slices = new Map(tools.map((tool) => [keyOf(tool), sliceOf(rules, tool)]));
  return (tool) => slices.get(keyOf(tool)) ?? sliceOf(rules, tool);
}

function idProblems({ history }: PolicyDocument, rules: ReadonlyMap<string, RuleText>): PolicyProblem[] {
  return history.flatMap(({ id }, n) => {
    if (rules.has(id)) return [problemOf(`/history/${n}/id`, `the id \`${id}\` is that of a rule in the text too`, 'give each rule an id of its own')];
    return RESERVED_IDS.includes(id) ? [problemOf(`/history/${n}/id`, `the id \`${id}\` stands for something else in decisions`, 'take another')] : [];
  });
}

function check(source: string, rules: ReadonlyMap<string, RuleText>, tools: readonly Tool[]): { errors: PolicyProblem[]; warnings: PolicyProblem[] } {
  const staticPolicies = Object.fromEntries([...rules].map(([id, { text }]) => [id, text]));
  const { validationErrors, validationWarnings } = verifyAnswer(askCedar((cedar) => cedar.validate({ schema: policySchema(tools), policies: { staticPolicies } })));
  // The validator tells of one place once for every tool that the rule speaks of.
  const eachOnce = (found: typeof validationErrors): PolicyProblem[] => [...new Map(found.map(({ policyId, error }) => {
    const problem = located(source, (rules.get(policyId) as RuleText).at, error);
    return [`${problem.line}:${problem.column}`, problem];
  })).values()].sort((a, b) => (a.line as number) - (b.line as number) || (a.column as number) - (b.column as number));
  return { errors: eachOnce(validationErrors), warnings: eachOnce(validationWarnings) };
}
