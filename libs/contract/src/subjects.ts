// SPDX-License-Identifier: Apache-2.0
import type { Lane } from './permit.ts';
import { KERNEL_REQUESTS } from './messages/kernel.ts';

/** The processes that have a user on the bus. */
export const PROCESSES = ['orchestrator', 'kernel', 'executor', 'ledger'] as const;
export type Process = (typeof PROCESSES)[number];

interface RequestRow {
  readonly server: Process;
  readonly clients: readonly Process[];
}

const kernelVerbs = Object.keys(KERNEL_REQUESTS) as (keyof typeof KERNEL_REQUESTS)[];

/**
 * Request/reply: `writ.v1.<shard>.<process>.<verb>`; who serves each and who may send it. Permissions are generated
 * from this table alone.
 */
export const REQUESTS: Readonly<Record<string, RequestRow>> = {
  'kernel.admit': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.tenant.create': { server: 'kernel', clients: ['orchestrator'] },
  ...Object.fromEntries(
    kernelVerbs.map((verb) => [`kernel.${verb}`, { server: 'kernel', clients: ['orchestrator'] } satisfies RequestRow]),
  ),
  'kernel.tenant.limits.changed': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.erasure.orders': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.erasure.tell': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.erasure.gone': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.notice.take': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.notice.drop': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.redeem': { server: 'kernel', clients: ['executor'] },
  'kernel.renew': { server: 'kernel', clients: ['executor'] },
  'kernel.release': { server: 'kernel', clients: ['executor'] },
  'kernel.effect_started': { server: 'kernel', clients: ['executor'] },
  'kernel.report': { server: 'kernel', clients: ['executor'] },
  'kernel.image.claim': { server: 'kernel', clients: ['executor'] },
  'kernel.image.renew': { server: 'kernel', clients: ['executor'] },
  'kernel.image.release': { server: 'kernel', clients: ['executor'] },
  'kernel.image.finish': { server: 'kernel', clients: ['executor'] },
  'kernel.mcp.claim': { server: 'kernel', clients: ['executor'] },
  'kernel.mcp.report': { server: 'kernel', clients: ['executor'] },
  'kernel.mcp.programs': { server: 'kernel', clients: ['executor'] },
  'kernel.mcp_consent.look': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.mcp_consent.confirm': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.mcp_consent.callback': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.mcp_consent.key': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.mcp_consent.status': { server: 'kernel', clients: ['orchestrator'] },
  'kernel.mcp_token.claim': { server: 'kernel', clients: ['executor'] },
  'kernel.mcp_token.report': { server: 'kernel', clients: ['executor'] },
  'kernel.shell.attach': { server: 'kernel', clients: ['executor'] },
  'kernel.shell.renew': { server: 'kernel', clients: ['executor'] },
  'kernel.shell.end': { server: 'kernel', clients: ['executor'] },
  'ledger.append': { server: 'ledger', clients: ['kernel'] },
  'ledger.receipt': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.checkpoint': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.tile': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.entries': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.signatures': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.inclusion': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.consistency': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.records': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.record': { server: 'ledger', clients: ['orchestrator'] },
  'ledger.export': { server: 'ledger', clients: ['orchestrator'] },
};
export type RequestName = keyof typeof REQUESTS & string;

/**
 * Events on core subjects, `writ.v1.<shard>.event.<tenant_id>.<kind>`; a lost one costs a poll. `slots` has no tenant
 * and `_` in its position.
 */
export const EVENTS = {
  operation: { publishers: ['kernel'], subscribers: ['orchestrator', 'kernel'] },
  /** an attempt must stop now: it was cancelled, or its token revoked */
  stop: { publishers: ['kernel'], subscribers: ['executor'] },
  /** a permit for the one executor that has the session's shell; its id replaces the tenant */
  session: { publishers: ['kernel'], subscribers: ['executor'] },
  /** a call for one executor, whose id replaces the tenant, with its permit redeemed */
  assigned: { publishers: ['kernel'], subscribers: ['executor'] },
  /** a request for a container's output; the reply has `_` in place of the tenant, as `slots` does */
  peek: { publishers: ['kernel'], subscribers: ['executor'] },
  peeked: { publishers: ['executor'], subscribers: ['kernel'] },
  /** a request for the output of a running call, by those who follow it, and the answer */
  watch: { publishers: ['orchestrator'], subscribers: ['executor'] },
  output: { publishers: ['executor'], subscribers: ['orchestrator'] },
  slots: { publishers: ['executor'], subscribers: ['kernel'] },
  /** a tenant's log has a newer checkpoint; processes that tail it read on */
  logged: { publishers: ['ledger'], subscribers: ['orchestrator'] },
  /** a run of the agent loop: an event was stored, or a piece of a reply arrived */
  run: { publishers: ['orchestrator'], subscribers: ['orchestrator'] },
} as const satisfies Record<string, { publishers: readonly Process[]; subscribers: readonly Process[] }>;
export type EventKind = keyof typeof EVENTS;

/** The names of all subjects on the bus of one shard. */
export interface Subjects {
  request(name: RequestName): string;
  event(kind: EventKind, tenantId: string): string;
  allEvents(kind: EventKind): string;
  work(lane: Lane): string;
  readonly workStream: string;
}

export function subjectsOf(shard: string): Subjects {
  if (!/^[a-z0-9]{1,16}$/.test(shard))
    throw new Error(`\`${shard}\` is no name of a shard: one to sixteen of a-z and 0-9`);
  const root = `writ.v1.${shard}`;
  return {
    request: (name) => `${root}.${name}`,
    event: (kind, tenantId) => `${root}.event.${tenantId}.${kind}`,
    allEvents: (kind) => `${root}.event.*.${kind}`,
    work: (lane) => `${root}.work.${lane}`,
    workStream: `writ_${shard}_work`,
  };
}

/** Headers that every message may have. */
export const HEADERS = {
  /** milliseconds since the epoch; every process on the way refuses a message past it */
  deadline: 'writ-deadline',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;
