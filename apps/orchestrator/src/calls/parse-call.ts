// SPDX-License-Identifier: Apache-2.0
import { Fault, IdempotencyKey, parseMessage, principalOf, type Caller } from '@writ/contract';
import { CallBody } from './call-body.ts';
import { agentOf, type ParsedCall } from './parsed-call.ts';

/** Members that only the kernel sets. A caller that sends one is refused, so that nobody believes it was used. */
const KERNELS_OWN = ['state_snapshot_id', 'policy_hash', 'autonomy_mode', 'risk_score', 'risk_basis'] as const;
/** Members that the orchestrator sets. */
const OURS = ['v', 'tenant_id', 'operation_id', 'proposed_by', 'proposers', 'args_ref'] as const;

/**
 * Reads a call, which is attacker-controlled. `keyHeader` is the header `Idempotency-Key`, which must agree with the
 * body's. Faults: `request.malformed` with a pointer, `not_found` for an agent that the caller may not act for.
 */
export function parseCall(body: unknown, keyHeader: string | undefined, caller: Caller): ParsedCall {
  refuseOthersFields(body as Record<string, unknown>);
  const call = parseMessage(CallBody, body);
  return {
    v: 1,
    tenant_id: caller.tenant_id,
    agent_id: agentOf(call.agent_id, caller),
    proposed_by: caller.api_key_id,
    proposers: [principalOf(caller)],
    tool_id: call.tool_id,
    args: call.args,
    capability_token_id: call.capability_token_id,
    workspace_id: call.workspace_id,
    session_id: call.session_id ?? null,
    session_mode: call.session_mode ?? 'interactive',
    max_autonomy: call.max_autonomy ?? null,
    task_class: call.task_class ?? 'general',
    idempotency_key: idempotencyKeyOf(call, keyHeader),
    precondition_refs: call.precondition_refs ?? [],
    provenance: { source: 'api', ...call.provenance },
    deadline: call.deadline ?? null,
    dry_run: call.dry_run ?? false,
    ...(call.data_subject === undefined ? {} : { data_subject: call.data_subject }),
  };
}

function refuseOthersFields(body: Record<string, unknown>): void {
  const kernels = KERNELS_OWN.find((name) => Object.hasOwn(body, name));
  if (kernels)
    throw new Fault(
      'request.malformed',
      `\`${kernels}\` is for the kernel to fill; leave it out (\`max_autonomy\` may lower the mode)`,
      { pointer: `/${kernels}` },
    );
  const ours = OURS.find((name) => Object.hasOwn(body, name));
  if (ours)
    throw new Fault('request.malformed', `\`${ours}\` is made here and not by the caller; leave it out`, {
      pointer: `/${ours}`,
    });
}

function idempotencyKeyOf(call: CallBody, header: string | undefined): string | null {
  if (header === undefined) return call.idempotency_key ?? null;
  const key = parseMessage(IdempotencyKey, header);
  if (call.idempotency_key !== undefined && call.idempotency_key !== key) {
    throw new Fault('request.malformed', '`idempotency_key` and the header `Idempotency-Key` differ', {
      pointer: '/idempotency_key',
    });
  }
  return key;
}
