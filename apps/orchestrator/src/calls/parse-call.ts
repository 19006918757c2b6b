// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage, personIn, principalOf, type Caller, type Provenance } from '@writ/contract';
import { idempotencyKeyOf } from '../edge/requests/idempotency-key.ts';
import { CallBody } from './call-body.ts';
import { agentOf, type ParsedCall } from './parsed-call.ts';

/**
 * Members that only the kernel sets. A request that contains one is refused, so that no caller believes that it was
 * used.
 */
const KERNEL_MEMBERS = ['state_snapshot_id', 'policy_hash', 'autonomy_mode', 'risk_score', 'risk_basis'] as const;
/** Members that the orchestrator sets. */
const ORCHESTRATOR_MEMBERS = [
  'v',
  'tenant_id',
  'operation_id',
  'proposed_by',
  'proposers',
  'person',
  'args_ref',
  'scheduling_class',
] as const;
/** Members of `provenance` that only Writ sets: it records what it knows, and not what it is told. */
const OWN_PROVENANCE = {
  source: 'name your program in `client`',
  run_id: 'the calls of a run get it from the run',
  model: 'name the model in `claimed_model`',
} as const;

/** The origin of calls that come through the API. */
const FROM_API: Provenance = { source: 'api' };

/**
 * Parses a call, which is attacker-controlled. `keyHeader` is the header `Idempotency-Key`, which must equal the body's
 * key. Faults: `request.malformed` with a pointer, `not_found` for an agent that the caller may not act for.
 *
 * @param origin what Writ itself knows about the origin of the call; it goes before what the body says
 */
export function parseCall(
  body: unknown,
  keyHeader: string | undefined,
  caller: Caller,
  origin: Provenance = FROM_API,
): ParsedCall {
  const call = readCall(body);
  return {
    v: 1,
    tenant_id: caller.tenant_id,
    agent_id: agentOf(call.agent_id, caller),
    proposed_by: caller.api_key_id,
    proposers: [principalOf(caller)],
    ...personIn(caller),
    tool_id: call.tool_id,
    args: call.args,
    capability_token_id: requireNamed(call, 'capability_token_id'),
    workspace_id: requireNamed(call, 'workspace_id'),
    session_id: call.session_id ?? null,
    session_mode: call.session_mode ?? 'interactive',
    max_autonomy: call.max_autonomy ?? null,
    task_class: call.task_class ?? 'general',
    idempotency_key: idempotencyKeyOf(call, keyHeader),
    precondition_refs: call.precondition_refs ?? [],
    provenance: { ...call.provenance, ...origin },
    deadline: call.deadline ?? null,
    dry_run: call.dry_run ?? false,
    ...(call.data_subject === undefined ? {} : { data_subject: call.data_subject }),
    ...(call.retention === undefined ? {} : { retention: call.retention }),
  };
}

/** The body of a call, which is attacker-controlled. Fault `request.malformed` with a pointer. */
export function readCall(body: unknown): CallBody {
  refuseReservedMembers(body as Record<string, unknown>);
  return parseMessage(CallBody, body);
}

/** What `CallDefaults` finds for a call of a client. Whoever else makes a call names it. */
function requireNamed(call: CallBody, name: 'capability_token_id' | 'workspace_id'): string {
  const value = call[name];
  if (value === undefined) throw new Fault('request.malformed', `\`${name}\` is needed`, { pointer: `/${name}` });
  return value;
}

function refuseReservedMembers(body: Record<string, unknown>): void {
  const kernelMember = KERNEL_MEMBERS.find((name) => Object.hasOwn(body, name));
  if (kernelMember)
    throw new Fault(
      'request.malformed',
      `\`${kernelMember}\` is for the kernel to fill; leave it out (\`max_autonomy\` may lower the mode)`,
      { pointer: `/${kernelMember}` },
    );
  const orchestratorMember = ORCHESTRATOR_MEMBERS.find((name) => Object.hasOwn(body, name));
  if (orchestratorMember)
    throw new Fault('request.malformed', `\`${orchestratorMember}\` is made here and not by the caller; leave it out`, {
      pointer: `/${orchestratorMember}`,
    });
  refuseOwnProvenance(body);
}

function refuseOwnProvenance({ provenance }: Record<string, unknown>): void {
  if (typeof provenance !== 'object' || provenance === null) return;
  for (const [name, instead] of Object.entries(OWN_PROVENANCE)) {
    if (Object.hasOwn(provenance, name))
      throw new Fault(
        'request.malformed',
        `\`provenance.${name}\` is made here and not by the caller; leave it out: ${instead}`,
        { pointer: `/provenance/${name}` },
      );
  }
}
