// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type PolicyPutReply } from '@writ/contract';
import { canonicalBytes, JsonError } from '@writ/digest';
import { PolicySetError, type PolicyProblem, type PolicySet } from '@writ/policy';
import type { Changes } from '../../evidence/changes/index.ts';
import { requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import {
  activeRow,
  viewOf,
  type PolicyEngine,
  type ProposedPolicy,
  type PolicyRepository,
  type SetRow,
} from '../../judging/policies/index.ts';

/** Maximum bytes of a policy document. A set and its diff to another set must fit one message. */
const DOCUMENT_BYTES_MAX = 384 * 1024;
/** The name of the active set in routes. */
const ACTIVE = 'active';
const HASH = /^[0-9a-f]{64}$/;

/** Stores policy sets. A stored set decides nothing until it is activated. */
export class PutPolicy {
  readonly #changes: Changes;
  readonly #repository: PolicyRepository;

  constructor(changes: Changes, repository: PolicyRepository) {
    this.#changes = changes;
    this.#repository = repository;
  }

  /** Problems of the set are returned as an answer and not as a fault. @throws Fault `auth.role` */
  async run({ caller, document }: KernelRequest<'policy.put'>): Promise<PolicyPutReply> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    const checked = await check(this.#repository.engine, tenant_id, {
      document,
      tools: await this.#repository.stored.tools(tenant_id),
    });
    if (Array.isArray(checked)) return { valid: false, problems: checked, warnings: [], policy: null };
    const set = checked as PolicySet;
    const policy = await this.#changes.make(tenant_id, async (rows, now) => {
      const { row, isNew } = await storeSet(rows, { tenantId: tenant_id, set, by: api_key_id, now });
      const active =
        (await activeRow(rows, tenant_id))?.policy_hash ?? this.#repository.engine.standard.set.policy_hash;
      const change = { verb: 'policy_stored', subject: set.policy_hash, digest: set.policy_hash };
      return {
        value: viewOf({ ready: this.#repository.engine.ready(set), row }, active, this.#repository.engine),
        records: isNew ? [{ kind: 'policy', actor: api_key_id, policy_hash: set.policy_hash, change }] : [],
      };
    });
    return { valid: true, problems: [], warnings: [...set.warnings], policy };
  }
}

/** All problems, or the compiled set. */
async function check(
  engine: PolicyEngine,
  tenantId: string,
  sent: ProposedPolicy,
): Promise<PolicySet | PolicyProblem[]> {
  try {
    if (canonicalBytes(sent.document).byteLength > DOCUMENT_BYTES_MAX)
      return [problem('', `it is longer than ${DOCUMENT_BYTES_MAX} bytes`, 'use fewer, wider rules')];
    const set = await engine.compile(tenantId, sent);
    const { name } = set.document;
    if (engine.shipped.has(name))
      return [problem('/name', `\`${name}\` is the name of a shipped set`, 'give it another')];
    if (name === ACTIVE) return [problem('/name', `\`${ACTIVE}\` is the name of the active set`, 'give it another')];
    return HASH.test(name) ? [problem('/name', 'the name looks like a hash', 'give it another')] : set;
  } catch (error) {
    if (error instanceof PolicySetError) return [...error.problems];
    if (error instanceof Fault && error.code === 'limit.exceeded')
      return [
        problem('/cedar', 'the rules take more time or memory to check than they may', 'use fewer, simpler rules'),
      ];
    if (error instanceof JsonError) return [problem(error.pointer, error.message, '')];
    throw error;
  }
}

const problem = (pointer: string, message: string, help: string): PolicyProblem => ({
  pointer,
  line: null,
  column: null,
  message,
  help,
});

/** Stores a set unless it is stored already. A lock serializes the version numbers of a tenant. */
async function storeSet(
  rows: Rows,
  { tenantId, set, by, now }: { tenantId: string; set: PolicySet; by: string; now: number },
): Promise<{ row: SetRow; isNew: boolean }> {
  await rows.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.policy_sets.' || ${tenantId}, 0))`;
  const key = { tenant_id: tenantId, policy_hash: set.policy_hash };
  const existing = await rows.policy_set.findUnique({ where: { tenant_id_policy_hash: key } });
  if (existing !== null) return { row: existing, isNew: false };
  const { name } = set.document;
  const { _max } = await rows.policy_set.aggregate({ where: { tenant_id: tenantId, name }, _max: { version: true } });
  const row = { ...key, name, version: (_max.version ?? 0) + 1, created_by: by, created_at: BigInt(now) };
  await rows.policy_set.createMany({ data: [{ ...row, document: structuredClone(set.document) }] });
  return { row, isNew: true };
}
