// SPDX-License-Identifier: Apache-2.0
import {
  definitionForDigest,
  Fault,
  TOOLS,
  type AuditRecord,
  type Caller,
  type TenantToolView,
  type ToolDefinition,
} from '@writ/contract';
import { tenantDefinition } from '@writ/cli-tool';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** Tools of one page: even with the longest definitions they fit into one message. */
const TOOLS_PAGE = 32;

/** A document that records refer to by its hash; `bytes` is null where it no longer exists. */
export interface ReferencedDocument {
  readonly kind: 'policy' | 'tool';
  readonly sha256: string;
  readonly bytes: Uint8Array | null;
}

/** The policy sets and tool definitions that records refer to. */
export class ReferencedDocuments {
  readonly #policies = new Set<string>();
  readonly #tools = new Set<string>();

  note({ policy_hash, tool_definition_digest }: AuditRecord): void {
    if (policy_hash !== null) this.#policies.add(policy_hash);
    if (tool_definition_digest !== null) this.#tools.add(tool_definition_digest);
  }

  /**
   * Yields each document as the hashed bytes, in the order of the hashes. A document with another hash is never
   * returned.
   */
  async *read(kernel: KernelClient, caller: Caller): AsyncGenerator<ReferencedDocument> {
    for (const sha256 of [...this.#policies].sort())
      yield { kind: 'policy', sha256, bytes: matching(sha256, await policyBytes(kernel, caller, sha256)) };
    const definitions = this.#tools.size === 0 ? new Map<string, Uint8Array>() : await definitionsOf(kernel, caller);
    for (const sha256 of [...this.#tools].sort())
      yield { kind: 'tool', sha256, bytes: definitions.get(sha256) ?? null };
  }
}

const matching = (sha256: string, bytes: Uint8Array | null): Uint8Array | null =>
  bytes !== null && sha256Hex(bytes) === sha256 ? bytes : null;

/**
 * The bytes that a policy hash covers: the document, and the version of the schema that its rules were checked against.
 * With an earlier schema a set has another hash.
 */
async function policyBytes(kernel: KernelClient, caller: Caller, policy: string): Promise<Uint8Array | null> {
  try {
    const [{ document }, { version }] = [
      await kernel.ask('policy.read', caller, { policy }),
      await kernel.ask('policy.schema', caller, {}),
    ];
    return canonicalBytes({ document, schema: version, v: 1 });
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return null;
    throw error;
  }
}

/** All current definitions, Writ's own and the tenant's, by their digest. */
async function definitionsOf(kernel: KernelClient, caller: Caller): Promise<ReadonlyMap<string, Uint8Array>> {
  const definitions = new Map<string, Uint8Array>();
  const add = (tool: ToolDefinition): void => {
    const bytes = canonicalBytes(definitionForDigest(tool));
    definitions.set(sha256Hex(bytes), bytes);
  };
  for (const tool of TOOLS.values()) add(tool);
  let cursor: string | null = null;
  do {
    const page: { items: TenantToolView[]; next_cursor: string | null } = await kernel.ask('tool.list', caller, {
      page: { cursor, limit: TOOLS_PAGE },
      tool_id: null,
    });
    for (const { tool } of page.items) add(tenantDefinition(tool));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return definitions;
}
