// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compilePolicySet, DEFAULT_POLICY } from '@writ/policy';
import { loadShellGrammar } from '@writ/risk';
import { PolicySets, type ActivePolicy } from '../ports/index.ts';
import { cedarPolicy } from './cedar-policy.ts';

const { resolve } = createRequire(import.meta.url);
const bytesOf = (module: string): Uint8Array => new Uint8Array(readFileSync(resolve(module)));

/** One policy for every tenant: the default one. */
class DefaultPolicySets extends PolicySets {
  readonly #policy: ActivePolicy;

  constructor(policy: ActivePolicy) {
    super();
    this.#policy = policy;
  }

  override of(): Promise<ActivePolicy> {
    return Promise.resolve(this.#policy);
  }
}

/** Loads the shell grammar and compiles the default policy. Rejects where either can't be had: a kernel without a policy doesn't start. */
export async function defaultPolicySets(): Promise<PolicySets> {
  const grammar = await loadShellGrammar({ runtime: bytesOf('web-tree-sitter/web-tree-sitter.wasm'), bash: bytesOf('tree-sitter-bash/tree-sitter-bash.wasm') });
  return new DefaultPolicySets(cedarPolicy(compilePolicySet(DEFAULT_POLICY), grammar));
}
