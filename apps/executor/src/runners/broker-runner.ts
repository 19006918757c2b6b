// SPDX-License-Identifier: Apache-2.0
import { isNativeError } from 'node:util/types';
import { Fault, NET_EGRESS, WEB_FETCH } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { TargetError } from '@writ/egress';
import type { CallGate } from '../egress/call-gate.ts';
import type { EgressGate } from '../egress/gate.ts';
import { GateRefusal } from '../egress/gate-error.ts';
import { netEgress } from './net-egress.ts';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { webFetch } from './web-fetch.ts';
import { webSearch } from './web-search.ts';

type Running = Pick<RunContext, 'signal' | 'work'>;
type Said = Pick<Staged, 'ended' | 'error' | 'result'>;

/** Runs tools whose effect is outside, behind the egress gate. */
export class BrokerRunner extends Runner {
  override readonly toolClass = 'broker';
  readonly #blobs: BlobStore;
  readonly #gate: EgressGate;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(blobs: BlobStore, gate: EgressGate, now: () => number) {
    super();
    this.#blobs = blobs;
    this.#gate = gate;
    this.#now = now;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const began = this.#now();
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(call.limits.wall_ms)]);
    const gate = this.#gate.open(call, { ...context, signal });
    try {
      const said = await this.#said(call, gate, { signal, work: context.work });
      const wall_ms = Math.round(this.#now() - began);
      return {
        ...said,
        exitCode: null,
        delta: null,
        blobs: [],
        requests: gate.requests,
        usage: {
          wall_ms,
          cpu_ms: 0,
          memory_peak_bytes: 0,
          disk_write_bytes: 0,
          output_bytes: Buffer.byteLength(JSON.stringify(said.result)),
          egress_bytes: gate.bytes,
        },
      };
    } finally {
      gate.close();
    }
  }

  async #said(call: Call, gate: CallGate, running: Running): Promise<Said> {
    try {
      return { ended: 'exited', error: null, result: await this.#result(call, gate, running) };
    } catch (error) {
      return failed(gate.brokenBy ?? error, running.signal);
    }
  }

  async #result(call: Call, gate: CallGate, running: Running): Promise<unknown> {
    if (call.provider !== null) return await webSearch(call, call.provider, gate);
    if (call.toolId === WEB_FETCH.tool_id) return await webFetch(call, gate, running);
    if (call.toolId === NET_EGRESS.tool_id) return await netEgress(call, gate, this.#blobs, running.work);
    throw new Error(`\`${call.toolId}\` is no tool that sends requests`);
  }
}

/** What went wrong outside is the call's end; what went wrong in here is nobody's, and its lease decides. */
function failed(error: unknown, signal: AbortSignal): Said {
  if (signal.aborted && !(error instanceof Fault))
    return no('timeout', 'command.timeout', 'the request took longer than the call may');
  if (error instanceof GateRefusal)
    return no(error.code === 'limit.exceeded' ? 'limit' : 'failed', error.code, error.message, error.hint);
  if (error instanceof TargetError) return no('failed', 'egress.refused', error.message);
  if (error instanceof Fault && !error.retryable && /^(?:file|token)\./.test(error.code))
    return no('failed', error.code, error.message);
  if (isOfTheConnection(error))
    return no('failed', 'egress.failed', 'the connection broke before the whole answer was there');
  throw error;
}

const no = (ended: Said['ended'], code: string, message: string, hint: string | null = null): Said => ({
  ended,
  error: { code, message, hint },
  result: null,
});

/** Errors of Node's streams and parser, which carry a code. */
const isOfTheConnection = (error: unknown): boolean =>
  isNativeError(error) && !(error instanceof Fault) && typeof (error as { code?: unknown }).code === 'string';
