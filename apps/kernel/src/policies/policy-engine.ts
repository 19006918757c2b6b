// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compilePolicySet, DEFAULT_POLICY, OBSERVE_POLICY, STRICT_POLICY, type PolicySet } from '@writ/policy';
import { loadShellGrammar, type ShellGrammar } from '@writ/risk';
import type { ActivePolicy } from '../ports/index.ts';
import { cedarPolicy } from './cedar-policy.ts';

const { resolve } = createRequire(import.meta.url);
const bytesOf = (module: string): Uint8Array => new Uint8Array(readFileSync(resolve(module)));

/** A set that was compiled, as it is looked at and as it is asked. */
export interface ReadyPolicy {
  readonly set: PolicySet;
  readonly active: ActivePolicy;
}

/** What policy sets are made ready with, and those that are shipped. */
export class PolicyEngine {
  readonly grammar: ShellGrammar;
  /** by name: every tenant has them */
  readonly shipped: ReadonlyMap<string, ReadyPolicy>;
  /** what a tenant has that has activated none */
  readonly standard: ReadyPolicy;

  constructor(grammar: ShellGrammar) {
    this.grammar = grammar;
    this.standard = this.ready(compilePolicySet(DEFAULT_POLICY));
    this.shipped = new Map([['default', this.standard], ...[STRICT_POLICY, OBSERVE_POLICY].map((source): [string, ReadyPolicy] => [source.name, this.ready(compilePolicySet(source))])]);
  }

  ready(set: PolicySet): ReadyPolicy {
    return { set, active: cedarPolicy(set, this.grammar) };
  }
}

/** Loads the shell grammar and compiles the shipped sets. Rejects where either can't be had: a kernel without a policy doesn't start. */
export async function loadPolicyEngine(): Promise<PolicyEngine> {
  return new PolicyEngine(await loadShellGrammar({ runtime: bytesOf('web-tree-sitter/web-tree-sitter.wasm'), bash: bytesOf('tree-sitter-bash/tree-sitter-bash.wasm') }));
}
