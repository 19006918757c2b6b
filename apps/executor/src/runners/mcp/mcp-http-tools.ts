// SPDX-License-Identifier: Apache-2.0
//
// Calls of tools of MCP servers. INVARIANT (announced right before): listing the tools changes nothing, and the effect
// is announced when the call itself is about to leave.
import { MCP_CALLS, type McpOperation } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { inputOf } from '@writ/mcp-tool';
import type { ShownAnswer } from '../../calls/mcp-answer.ts';
import type { Call } from '../../calls/runner.ts';
import type { CallGate } from '../../egress/call-gate.ts';
import { ListingCache } from './listing-cache.ts';
import { McpCallError } from './mcp-failure.ts';
import { credentialIn, McpSender, serverOf } from './mcp-sender.ts';
import type { McpSessions } from './mcp-sessions.ts';
import { ServerSlots } from './server-slots.ts';

/** A call waits so long for one of those under way at its server to end. */
const WAIT_MS = 5_000;
/** At the end of its time a call tells the server that it gives up, while it may still send. */
const GIVE_UP_MS = 2_000;
const GIVE_UP_SHARE = 0.25;

/** The parts of a call that are read here. */
export type McpToolCall = Pick<
  Call,
  'args' | 'limits' | 'mcp' | 'net' | 'resources' | 'resourceSecrets' | 'tenantId' | 'values'
>;

/** Runs calls of tools of MCP servers. */
export class McpHttpTools {
  readonly #sessions: McpSessions;
  readonly #now: () => number;
  readonly #listings: ListingCache;
  readonly #slots = new ServerSlots();

  /** @param now a monotonic clock, in milliseconds */
  constructor(sessions: McpSessions, now: () => number) {
    this.#sessions = sessions;
    this.#now = now;
    this.#listings = new ListingCache(now);
  }

  /**
   * Runs a call: compares the tool's definition with the pinned one, and then sends the call once.
   * @throws McpCallError, GateRefusal, TargetError, and Faults of the attempt
   */
  async run(mcp: McpOperation, call: McpToolCall, gate: CallGate, signal: AbortSignal): Promise<ShownAnswer> {
    const began = this.#now();
    const { resourceId, settings } = serverOf(call);
    const slot = await this.#slots.take(
      `${call.tenantId} ${resourceId}`,
      settings.calls_max ?? MCP_CALLS.default,
      WAIT_MS,
      signal,
    );
    if (slot === null)
      throw new McpCallError('mcp.busy', `the server \`${mcp.server}\` has as many calls under way as it may have`);
    try {
      return await this.#call(mcp, call, gate, { signal, leftMs: call.limits.wall_ms - (this.#now() - began) });
    } finally {
      slot();
    }
  }

  async #call(
    mcp: McpOperation,
    call: McpToolCall,
    gate: CallGate,
    { signal, leftMs }: { readonly signal: AbortSignal; readonly leftMs: number },
  ): Promise<ShownAnswer> {
    const { tenantId, limits, net, values, resourceSecrets } = call;
    const { args, input } = inputOf(mcp, call.args);
    const { settings } = serverOf(call);
    const sender = new McpSender(gate, { settings, resourceSecrets, isSafe: mcp.is_safe, idleMs: limits.wall_ms });
    const key = cacheKey(call);
    const known = this.#listings.known(key, mcp.remote_name);
    const timeoutMs = Math.max(1, Math.round(leftMs - Math.min(GIVE_UP_MS, leftMs * GIVE_UP_SHARE)));
    const askedAt = this.#now();
    const work = {
      timeoutMs,
      isLegacy: known.isLegacy,
      methods: sender.methodsWithin(net),
      name: mcp.remote_name,
      digest: mcp.remote_digest,
      args,
      ...(input === null ? {} : { input }),
      known: known.definition,
      output: mcp.output,
      named: values?.named ?? [],
      bytesMax: limits.output_bytes,
    };
    try {
      const { answer, listed } = await this.#sessions.run(
        { tenantId, signal, timeoutMs, mayCall: true, send: sender.send },
        (pool, port, options) => pool.run('mcp.call', { ...work, port }, options),
      );
      if (listed !== null) this.#listings.keep(key, mcp.remote_name, listed, askedAt);
      return answer;
    } catch (error) {
      this.#listings.forget(key);
      throw error;
    }
  }
}

/** The credential itself stays out of it. */
function cacheKey(call: McpToolCall): string {
  const { resourceId, digest, settings } = serverOf(call);
  const name = credentialIn(settings)?.secret;
  const secret = name === undefined ? '' : (call.resourceSecrets[name] ?? '');
  return `${call.tenantId} ${resourceId} ${digest} ${sha256Hex(Buffer.from(secret))}`;
}
