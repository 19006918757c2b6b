// SPDX-License-Identifier: Apache-2.0
//
// MCP servers that are programs: calls of their tools, and listings. INVARIANT (compared on this process): each call
// lists the tools of the very process that it asks, and is sent only where the definition is the pinned one.
import { isMcpStdio, MCP_CALLS, MCP_LIMITS, type McpOperation, type McpStdioSettings } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { CallWork } from '@writ/mcp-client';
import type { Sandbox } from '@writ/sandbox';
import type { TaskRunner } from '@writ/worker-pool';
import type { ShownAnswer } from '../../../calls/mcp-answer.ts';
import type { McpListDone, McpSessionTasks } from '../../../calls/mcp-tasks.ts';
import { imageOf, type Call } from '../../../calls/runner.ts';
import type { CallGate } from '../../../egress/call-gate.ts';
import type { NamedValue } from '../../../redaction/redactor.ts';
import { McpCallError } from '../mcp-failure.ts';
import { ServerSlots } from '../server-slots.ts';
import { KeptProcess } from './kept-process.ts';
import { ProcessPool, type Lease } from './process-pool.ts';
import { programJob, type ProgramParts } from './program-job.ts';
import { EndedAtStart, ProgramSessions, wordsOf, type LineOptions, type ProgramSession } from './program-sessions.ts';
import { StartBackoff } from './start-backoff.ts';

/** A call waits so long for one of those under way, or for room, to end. */
const WAIT_MS = 5_000;
/** At the end of its time a call tells the program that it gives up, while it may still write. */
const GIVE_UP_MS = 2_000;
const GIVE_UP_SHARE = 0.25;
/** For the thread and the container to end, within the time that a listing has. */
const LISTING_MARGIN_MS = 10_000;

/** The parts of a call that are read here. */
export type ProgramCall = Pick<
  Call,
  | 'actsFor'
  | 'args'
  | 'imageDigest'
  | 'limits'
  | 'operationId'
  | 'resources'
  | 'resourceSecrets'
  | 'tenantId'
  | 'toolId'
  | 'values'
>;

/** What a call may do beside asking. */
export interface ProgramContext {
  readonly gate: CallGate;
  readonly signal: AbortSignal;
  readonly announce: () => Promise<void>;
}

/** A listing in the name of a tenant. */
export interface ProgramListing {
  readonly tenantId: string;
  readonly resourceId: string;
  readonly settings: McpStdioSettings;
  readonly image: string;
  readonly resourceSecrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface McpProgramsOptions {
  readonly sandbox: Sandbox;
  readonly threads: TaskRunner<McpSessionTasks>;
  /** processes of this executor */
  readonly processesMax: number;
  /** a monotonic clock, in milliseconds */
  readonly now: () => number;
}

type Start<T> = Parameters<typeof ProgramSessions.prototype.run<T>>[3];

export class McpPrograms {
  readonly #options: McpProgramsOptions;
  readonly #sessions: ProgramSessions;
  readonly #pool: ProcessPool;
  readonly #slots = new ServerSlots();
  readonly #backoff: StartBackoff;

  constructor(options: McpProgramsOptions) {
    this.#options = options;
    this.#sessions = new ProgramSessions(options.threads);
    this.#pool = new ProcessPool(options);
    this.#backoff = new StartBackoff(options.now);
  }

  /** Keeps no process any more. */
  drain(): void {
    this.#pool.drain();
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  /**
   * Runs a call: compares the tool's definition with the pinned one, and then writes the call once.
   * @throws McpCallError, and Faults of the attempt
   */
  async call(mcp: McpOperation, call: ProgramCall, { gate, signal, announce }: ProgramContext): Promise<ShownAnswer> {
    const began = this.#options.now();
    const server = programOf(call);
    const release = await this.#slots.take(
      `${call.tenantId} ${server.resourceId}`,
      server.settings.calls_max ?? MCP_CALLS.default,
      WAIT_MS,
      signal,
    );
    if (release === null)
      throw new McpCallError('mcp.busy', `the server \`${mcp.server}\` has as many calls under way as it may have`);
    try {
      const lease = await this.#pool.take(call.tenantId, keyOf(call, server), WAIT_MS, signal);
      if (lease === null)
        throw new McpCallError('mcp.busy', 'this executor runs as many programs of MCP servers as it may');
      return await this.#callOn(lease, mcp, call, { gate, signal, announce, began });
    } finally {
      release();
    }
  }

  /** Lists the tools of a server, by a process of its own without any way out. @throws McpCallError */
  async list({ tenantId, resourceId, settings, image, resourceSecrets, signal }: ProgramListing): Promise<McpListDone> {
    const named = Object.values(resourceSecrets).map((value): NamedValue => ['RESOURCE', value]);
    const timeoutMs = MCP_LIMITS.listingMs - LISTING_MARGIN_MS;
    const parts = { settings, image, resourceSecrets, labels: { 'writ.resource': resourceId } };
    const session: ProgramSession = {
      tenantId,
      signal,
      timeoutMs,
      mayCall: false,
      announce: () => Promise.resolve(),
      named,
    };
    const held: Held = { process: null };
    try {
      return await this.#run(held, parts, session, `${tenantId} ${resourceId}`, async (pool, lines, options) =>
        pool.run('mcp.list', { ...work(lines), timeoutMs, named }, options),
      );
    } finally {
      await held.process?.close();
    }
  }

  async #callOn(
    lease: Lease,
    mcp: McpOperation,
    call: ProgramCall,
    { gate, signal, announce, began }: ProgramContext & { readonly began: number },
  ): Promise<ShownAnswer> {
    const { tenantId, limits, values, args, operationId, resourceSecrets } = call;
    const { settings, resourceId } = programOf(call);
    const named = values?.named ?? [];
    const leftMs = limits.wall_ms - (this.#options.now() - began);
    const timeoutMs = Math.max(1, Math.round(leftMs - Math.min(GIVE_UP_MS, leftMs * GIVE_UP_SHARE)));
    const parts = {
      settings,
      image: imageOf(call),
      resourceSecrets,
      labels: { 'writ.operation': operationId, 'writ.resource': resourceId },
    };
    const session: ProgramSession = {
      tenantId,
      signal,
      timeoutMs,
      mayCall: true,
      announce: mcp.is_safe ? () => Promise.resolve() : announce,
      named,
    };
    const asked: Pick<CallWork, 'name' | 'digest' | 'args' | 'known' | 'output'> = {
      name: mcp.remote_name,
      digest: mcp.remote_digest,
      args,
      known: null,
      output: mcp.output,
    };
    try {
      const { answer } = await this.#run(
        { lease, gate: (settings.hosts ?? []).length > 0 ? gate : null },
        parts,
        session,
        `${tenantId} ${resourceId}`,
        async (pool, lines, options) =>
          pool.run('mcp.call', { ...work(lines), ...asked, timeoutMs, named, bytesMax: limits.output_bytes }, options),
      );
      return answer;
    } finally {
      // A process that can't be used any more was closed, and only then isn't alive.
      const isKept = call.actsFor !== undefined;
      if (!isKept) await lease.process?.close();
      lease.release(isKept);
    }
  }

  /** Runs a session on the process that is held, or on a new one; and once more where it asks in older words alone. */
  async #run<T>(
    held: Held | { readonly lease: Lease; readonly gate: CallGate | null },
    parts: ProgramParts,
    session: ProgramSession,
    server: string,
    start: Start<T>,
  ): Promise<T> {
    const holder: Held = 'lease' in held ? held.lease : held;
    const gate = 'lease' in held ? held.gate : null;
    const on = async (isLegacy: boolean): Promise<T> => {
      if (holder.process?.isAlive !== true) holder.process = await this.#started(parts, session, server);
      const close = gate === null ? null : holder.process.openTo(gate);
      try {
        const done = await this.#sessions.run(holder.process, session, isLegacy, start);
        this.#backoff.succeeded(server);
        return done;
      } finally {
        close?.();
      }
    };
    try {
      return await on(false).catch(async (error: unknown) => {
        // Some programs of the older revision end when they are asked for a newer one.
        if (!(error instanceof EndedAtStart) || session.signal.aborted) throw error;
        return await on(true);
      });
    } catch (error) {
      if (!(error instanceof EndedAtStart)) throw error;
      throw this.#failed(server, `the program ended before it answered${wordsOf(error.end, session.named)}`);
    }
  }

  async #started(parts: ProgramParts, session: ProgramSession, server: string): Promise<KeptProcess> {
    const refusal = this.#backoff.refusal(server);
    if (refusal !== null) throw new McpCallError('mcp.unreachable', refusal);
    session.signal.throwIfAborted();
    const { sandbox, now } = this.#options;
    const started = await KeptProcess.start(sandbox, programJob(parts), now(), session.signal);
    if (started instanceof KeptProcess) return started;
    // Whoever stopped it is no failure of the program.
    session.signal.throwIfAborted();
    throw this.#failed(server, `the program could not be started${wordsOf(started, session.named)}`);
  }

  #failed(server: string, message: string): McpCallError {
    this.#backoff.failed(server, message);
    return new McpCallError('mcp.unreachable', message, 'an administrator looks at it by `writ mcp-server list`');
  }
}

/** Who has a process: a lease of the pool, or a listing. */
interface Held {
  process: KeptProcess | null;
}

const work = ({ port, lines, isLegacy }: LineOptions) => ({ port, lines, isLegacy, methods: [] as const });

/** The server of a call. */
function programOf({ resources }: Pick<Call, 'resources'>): {
  readonly resourceId: string;
  readonly digest: string;
  readonly settings: McpStdioSettings;
} {
  const [server] = resources;
  if (server?.kind !== 'mcp_server' || !isMcpStdio(server.settings)) throw new Error('the call is of no program');
  return { resourceId: server.resource_id, digest: server.digest, settings: server.settings };
}

/**
 * Whom a process belongs to. The values of secrets count by their hash, so that a process with an old one serves no
 * call with a new one. A call of nobody in particular has a process for itself.
 */
export function keyOf(
  call: Pick<ProgramCall, 'actsFor' | 'imageDigest' | 'operationId' | 'resourceSecrets' | 'tenantId'>,
  { resourceId, digest }: { readonly resourceId: string; readonly digest: string },
): string {
  const { actsFor, imageDigest, operationId, resourceSecrets, tenantId } = call;
  return sha256Hex(
    canonicalBytes([
      tenantId,
      resourceId,
      digest,
      imageDigest,
      actsFor === undefined ? { operation: operationId } : { ...actsFor },
      resourceSecrets,
    ]),
  );
}
