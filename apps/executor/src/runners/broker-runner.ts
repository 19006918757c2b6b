// SPDX-License-Identifier: Apache-2.0
import {
  AUDIO_TRANSCRIBE,
  CALENDAR_FIND,
  EMAIL_DRAFT,
  EMAIL_FIND,
  Fault,
  isMcpStdio,
  isStoreTool,
  NET_EGRESS,
  WEB_FETCH,
  WEB_SEARCH,
  type FaultCode,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { TargetError } from '@writ/egress';
import { outletsOf } from '@writ/mcp-tool';
import type { ContainerUsage } from '@writ/sandbox';
import type { CallGate } from '../egress/call-gate.ts';
import type { EgressGate } from '../egress/gate.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { PAUSE_MS_MAX, repeatWhilePassing } from '../egress/repeat-while-passing.ts';
import { calendarFind } from './calendar-find.ts';
import { isConnectionError } from './connection-error.ts';
import { emailDraft, emailFind } from './email-tools.ts';
import { ApiRefusal, httpTool } from './http-tool.ts';
import type { MailSessions } from './mail-sessions.ts';
import type { McpHttpTools } from './mcp/mcp-http-tools.ts';
import type { McpPrograms } from './mcp/stdio/mcp-programs.ts';
import { netEgress } from './net-egress.ts';
import { resourceFailure } from './resource-failures.ts';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import type { StoreCalls } from './stores/store-calls.ts';
import { storeFailureOf } from './stores/store-failure.ts';
import type { Transcription } from './transcription.ts';
import { webFetch } from './web-fetch.ts';
import { webSearch } from './web-search.ts';

type RunResources = Pick<RunContext, 'signal' | 'work' | 'mode' | 'announceEffectStarted'> & {
  /** adds what a container used for the call */
  readonly spent: (usage: ContainerUsage) => void;
};
type BrokerOutcome = Pick<Staged, 'ended' | 'error' | 'result' | 'storeChange' | 'settle'> & {
  readonly writtenBytes?: number;
};

/** What calls use on this machine, beside the way outside. */
export interface BrokerEngines {
  readonly stores?: StoreCalls;
  readonly transcription?: Transcription;
  readonly mail?: MailSessions;
  readonly mcp?: McpHttpTools;
  /** MCP servers that are programs; absent: there are no containers here */
  readonly programs?: McpPrograms;
}

/**
 * Runs tools with external effects, behind the egress gate, and calls on information stores, some of which lie outside.
 */
export class BrokerRunner extends Runner {
  override readonly toolClass = 'broker';
  readonly #blobs: BlobStore;
  readonly #gate: EgressGate;
  readonly #now: () => number;
  readonly #engines: BrokerEngines;

  /**
   * @param now a monotonic clock, in milliseconds
   * @param engines calls that need one that isn't there don't run here
   */
  constructor(blobs: BlobStore, gate: EgressGate, now: () => number, engines: BrokerEngines = {}) {
    super();
    this.#engines = engines;
    this.#blobs = blobs;
    this.#gate = gate;
    this.#now = now;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const began = this.#now();
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(call.limits.wall_ms)]);
    const gate = this.#gate.open(throughGate(call), { ...context, signal });
    try {
      const { work, mode, announceEffectStarted } = context;
      const containers = new ContainersUsage();
      const spent = (usage: ContainerUsage): void => containers.add(usage);
      const resources = { signal, work, mode, announceEffectStarted, spent };
      const { writtenBytes = 0, ...outcome } = await this.#outcome(call, gate, resources);
      const wall_ms = Math.round(this.#now() - began);
      return {
        ...outcome,
        exitCode: null,
        delta: null,
        blobs: [],
        requests: gate.requests,
        usage: {
          wall_ms,
          ...containers.measured,
          // A store is searched and its texts are embedded on processors of this machine: the time bounds their use.
          ...(isStoreTool(call.toolId) ? { cpu_ms: wall_ms } : {}),
          disk_write_bytes: writtenBytes,
          output_bytes: Buffer.byteLength(JSON.stringify(outcome.result)),
          egress_bytes: gate.bytes,
        },
      };
    } finally {
      gate.close();
    }
  }

  async #outcome(call: Call, gate: CallGate, resources: RunResources): Promise<BrokerOutcome> {
    try {
      if (isStoreTool(call.toolId)) {
        const { stores } = this.#engines;
        if (stores === undefined) throw new Error(`\`${call.toolId}\` can't run here: there are no stores`);
        return { ended: 'exited', error: null, ...(await stores.run(call, gate, resources)) };
      }
      return { ended: 'exited', error: null, result: await this.#result(call, gate, resources) };
    } catch (error) {
      return failed(gate.brokenBy ?? error, call, { signal: resources.signal, isSender: gate.requests.length > 0 });
    }
  }

  /** Announces a call of a program, again after an answer that is late or lost, as the gate does. */
  async #announce({ announceEffectStarted, signal }: RunResources): Promise<void> {
    const announced = async (): Promise<true> => {
      await announceEffectStarted(null);
      return true;
    };
    await repeatWhilePassing(announced, this.#now, signal, PAUSE_MS_MAX);
  }

  async #result(call: Call, gate: CallGate, resources: RunResources): Promise<unknown> {
    if (call.http !== undefined) return await httpTool(call.http, call, gate, resources.work);
    const { mail, mcp, programs, transcription } = this.#engines;
    if (call.mcp !== undefined && isMcpStdio(call.resources[0]?.settings ?? {}) && programs !== undefined)
      return await programs.call(call.mcp, call, {
        gate,
        signal: resources.signal,
        announce: () => this.#announce(resources),
        spent: resources.spent,
      });
    if (call.mcp !== undefined && mcp !== undefined) return await mcp.run(call.mcp, call, gate, resources.signal);
    if (call.toolId === WEB_SEARCH.tool_id) return await webSearch(call, gate);
    if (call.toolId === WEB_FETCH.tool_id) return await webFetch(call, gate, resources);
    if (call.toolId === NET_EGRESS.tool_id) return await netEgress(call, gate, this.#blobs, resources.work);
    if (call.toolId === CALENDAR_FIND.tool_id) return await calendarFind(call, gate, resources);
    if (call.toolId === EMAIL_FIND.tool_id && mail !== undefined)
      return await emailFind(call, gate, { ...resources, mail });
    if (call.toolId === EMAIL_DRAFT.tool_id && mail !== undefined)
      return await emailDraft(call, gate, { ...resources, mail });
    if (call.toolId === AUDIO_TRANSCRIBE.tool_id && transcription !== undefined)
      return await transcription.run(call, gate, resources);
    throw new Error(`\`${call.toolId}\` is no tool that sends requests`);
  }
}

/** What the containers of one call used; there are none for most calls. */
class ContainersUsage {
  #cpuMs = 0;
  #memoryPeakBytes = 0;
  #countedBy: ContainerUsage['countedBy'];

  add({ cpuMs, memoryPeakBytes, countedBy }: ContainerUsage): void {
    this.#cpuMs += cpuMs;
    this.#memoryPeakBytes = Math.max(this.#memoryPeakBytes, memoryPeakBytes);
    this.#countedBy = countedBy ?? this.#countedBy;
  }

  get measured(): Pick<Staged['usage'], 'cpu_ms' | 'memory_peak_bytes' | 'counted_by'> {
    return {
      cpu_ms: Math.round(this.#cpuMs),
      memory_peak_bytes: this.#memoryPeakBytes,
      ...(this.#countedBy === undefined ? {} : { counted_by: this.#countedBy }),
    };
  }
}

/**
 * The parts of a call that its gate judges by. INVARIANT (no private endpoints): a program connects where it likes
 * among the hosts of its settings and of the token, so that the exception for registered resources doesn't apply.
 */
function throughGate(call: Call): Call {
  const settings = call.resources[0]?.settings ?? {};
  return call.mcp === undefined || !isMcpStdio(settings)
    ? call
    : { ...call, resources: [], net: [...call.net, [...outletsOf(settings)]] };
}

/**
 * A failure of the request ends the call. Any other error is a fault of the executor, and the attempt waits for its
 * lease to expire.
 * @param isSender whether the call opened a connection through its gate, or wanted to
 */
function failed(
  error: unknown,
  { resources }: Pick<Call, 'resources'>,
  { signal, isSender }: { readonly signal: AbortSignal; readonly isSender: boolean },
): BrokerOutcome {
  if (signal.aborted && !(error instanceof Fault))
    return failure('timeout', 'command.timeout', 'the request took longer than the call may');
  if (error instanceof ApiRefusal) return { ...failure('failed', error.code, error.message), result: error.answer };
  const ofStore = storeFailureOf(error, resources);
  if (ofStore !== null)
    return failure(ofStore.code === 'limit.exceeded' ? 'limit' : 'failed', ofStore.code, ofStore.message, ofStore.hint);
  if (error instanceof GateRefusal)
    return failure(error.code === 'limit.exceeded' ? 'limit' : 'failed', error.code, error.message, error.hint);
  if (error instanceof TargetError) return failure('failed', 'egress.refused', error.message);
  const ofResource = resourceFailure(error);
  if (ofResource !== null) return failure(ofResource.ended, ofResource.code, ofResource.message, ofResource.hint);
  if (error instanceof Fault && error.code === 'deadline') return failure('timeout', 'command.timeout', error.message);
  if (error instanceof Fault && isOfCall(error)) return failure('failed', error.code, error.message);
  if (isSender && isConnectionError(error))
    return failure('failed', 'egress.failed', 'the connection broke before the whole answer was there');
  throw error;
}

/** Faults of an engine of transcription: trying again is the caller's decision. */
const ENGINE_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'args.invalid',
  'audio.too_long',
  'audio.unreadable',
  'overloaded',
  'transcription.failed',
  'transcription.model_unknown',
  'transcription.unavailable',
]);

/** Whether the call failed by itself, and not by a part of Writ. */
const isOfCall = (fault: Fault): boolean =>
  ENGINE_FAULTS.has(fault.code) || (!fault.retryable && /^(?:file|token)\./.test(fault.code));

const failure = (
  ended: BrokerOutcome['ended'],
  code: string,
  message: string,
  hint: string | null = null,
): BrokerOutcome => ({ ended, error: { code, message, hint }, result: null });
