// SPDX-License-Identifier: Apache-2.0
import { policySetTextToParts, policyToJson, validate, type DetailedError, type PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { TOOLS, type ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { POLICY_SCHEMA_VERSION, policySchema } from './schema.ts';

/** One rule of a set, by its `@id`. */
export interface PolicyRule {
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  /** the rule's `@reason`, or words made of its id */
  readonly reason: string;
}

/** A policy set that was read and checked. Immutable; a tenant's active one is known by its hash. */
export interface PolicySet {
  /** lower-case hex SHA-256 over the text, in one form of line ends, and the schema's version */
  readonly policy_hash: string;
  readonly rules: ReadonlyMap<string, PolicyRule>;
  /** the Cedar text of each rule, by id */
  readonly policies: Readonly<Record<string, string>>;
  /** whether any rule looks at the resource, so that each path must be asked about */
  readonly looksAtPaths: boolean;
}

/** Where a policy text is wrong; lines and columns count from 1. */
export interface PolicyProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A policy text that can't be a policy set, with every place that is wrong. */
export class PolicySetError extends Error {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(problems.map(({ message, line, column }) => `${line}:${column}: ${message}`).join('; '));
    this.name = 'PolicySetError';
    this.problems = problems;
  }
}

interface Part {
  readonly text: string;
  /** offset in the whole text */
  readonly at: number;
  readonly json: PolicyJson;
}

/**
 * Reads and checks a policy set. Every rule needs an `@id` of its own, since decisions and records name rules by it; templates aren't taken.
 *
 * @throws PolicySetError with line and column for what Cedar can't read, what its validator refuses against the schema of the tools, and missing or double ids.
 */
export function compilePolicySet(text: string, tools: Iterable<ToolDefinition> = TOOLS.values()): PolicySet {
  const source = text.replace(/\r\n?/g, '\n');
  const parts = partsOf(source);
  const named = new Map<string, Part>();
  for (const part of parts) {
    const id = part.json.annotations?.['id'] ?? '';
    if (!/^[a-z0-9_.-]{1,128}$/.test(id)) throw problemAt(source, part.at, 'a rule needs an `@id` of lower-case letters, digits, `.`, `_` and `-`');
    if (named.has(id)) throw problemAt(source, part.at, `the id \`${id}\` is given to two rules`);
    named.set(id, part);
  }
  const policies = Object.fromEntries([...named].map(([id, part]) => [id, part.text]));
  check(source, named, policies, tools);
  return {
    policy_hash: sha256Hex(canonicalBytes({ policies: source, schema: POLICY_SCHEMA_VERSION, v: 1 })),
    rules: new Map([...named].map(([id, { json }]) => [id, { id, effect: json.effect, reason: json.annotations?.['reason'] ?? `rule \`${id}\`` }])),
    policies,
    looksAtPaths: parts.some(({ json }) => json.resource.op !== 'All' || JSON.stringify(json.conditions).includes('"Var":"resource"')),
  };
}

function partsOf(source: string): Part[] {
  const split = policySetTextToParts(source);
  if (split.type === 'failure') throw new PolicySetError(split.errors.map((error) => located(source, 0, error)));
  const template = split.policy_templates[0];
  if (template !== undefined) throw problemAt(source, source.indexOf(template), 'a rule with slots is a template, and a set takes none');
  return split.policies.map((text) => ({ text, at: source.indexOf(text), json: jsonOf(text) }));
}

function jsonOf(text: string): PolicyJson {
  const answer = policyToJson(text);
  return verifyAnswer(answer).json;
}

function check(source: string, named: ReadonlyMap<string, Part>, policies: Readonly<Record<string, string>>, tools: Iterable<ToolDefinition>): void {
  const { validationErrors } = verifyAnswer(validate({ schema: policySchema(tools), policies: { staticPolicies: { ...policies } } }));
  // The validator tells of one place once for every tool that the rule speaks of.
  const problems = new Map<string, PolicyProblem>();
  for (const { policyId, error } of validationErrors) {
    const problem = located(source, (named.get(policyId) as Part).at, error);
    problems.set(`${problem.line}:${problem.column}`, problem);
  }
  if (problems.size > 0) throw new PolicySetError([...problems.values()]);
}

/** Cedar's answer, which at this point can only be a success: a failure is a bug of ours and ends the request. */
export function verifyAnswer<T extends { type: string }>(answer: T): Extract<T, { type: 'success' }> {
  if (answer.type !== 'success') throw new Error(`cedar refused what it had accepted: ${JSON.stringify(answer)}`);
  return answer as Extract<T, { type: 'success' }>;
}

/** The problem that Cedar tells of, in the whole text; at the rule's beginning if Cedar doesn't say where. */
export function located(source: string, base: number, error: DetailedError): PolicyProblem {
  const [place] = error.sourceLocations ?? [];
  return { message: [error.message, error.help].filter(Boolean).join(': '), ...lineAndColumn(source, base + (place?.start ?? 0)) };
}

const problemAt = (source: string, at: number, message: string): PolicySetError => new PolicySetError([{ message, ...lineAndColumn(source, at) }]);

function lineAndColumn(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
