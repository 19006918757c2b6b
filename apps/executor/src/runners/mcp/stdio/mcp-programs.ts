// SPDX-License-Identifier: Apache-2.0
//
// MCP servers that are programs: calls of their tools, and listings. INVARIANT (compared on this process): each call
// lists the tools of the very process that it asks, and is sent only where the definition is the pinned one.
import {
  isMcpStdio,
  MCP_CALLS,
  MCP_LIMITS,
  mcpMemoryBytes,
  type McpOperation,
  type McpStdioSettings,
} from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { CallWork } from '@writ/mcp-client';
import { inputOf } from '@writ/mcp-tool';
import type { ContainerUsage, Sandbox } from '@writ/sandbox';
import type { TaskRunner } from '@writ/worker-pool';
import type { ShownAnswer } from '../../../calls/mcp-answer.ts';
import type { McpListDone, McpSessionTasks } from '../../../calls/mcp-tasks.ts';
import { imageOf, type Call } from '../../../calls/runner.ts';
import type { CallGate } from '../../../egress/call-gate.ts';
import type { NamedValue } from '../../../redaction/redactor.ts';
import { McpCallError } from '../mcp-failure.ts';
import { ServerSlots } from '../server-slots.ts';
import { lossOf } from '../../../calls/sandbox-lost.ts';
import { NotListedHere } from '../not-listed-here.ts';
import { KeptProcess, usageOf, type ProcessEnd } from './kept-process.ts';
import { ProcessPool, type Lease } from './process-pool.ts';
import { programJob, type ProgramParts } from './program-job.ts';
import { wordsOf } from './last-words.ts';
import { EndedAtStart, ProgramSessions, type LineOptions, type ProgramSession } from './program-sessions.ts';
import { StartBackoff } from './start-backoff.ts';
import { WaitingChecks, type CheckOptions } from './waiting-checks.ts';

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
  /** Called with what a process used for the call: more than once where the call had several. */
  readonly spent: (usage: ContainerUsage) => void;
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

export interface McpProgramsOptions extends CheckOptions {
  readonly sandbox: Sandbox;
  readonly threads: TaskRunner<McpSessionTasks>;
  /** processes of this executor */
  readonly processesMax: number;
  /** memory of all of them, in bytes */
  readonly memoryBytesMax: number;
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
  readonly #checks: WaitingChecks;

  constructor(options: McpProgramsOptions) {
    this.#options = options;
    this.#sessions = new ProgramSessions(options.threads);
    this.#pool = new ProcessPool(options);
    this.#backoff = new StartBackoff(options.now);
    this.#checks = new WaitingChecks(this.#pool, options);
  }

  /** Processes that there are, or that are starting or ending. */
  get size(): number {
    return this.#pool.size;
  }

  /** Keeps no process any more. */
  drain(): void {
    this.#pool.drain();
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#checks.close();
    await this.#pool.close();
  }

  /**
   * Runs a call: compares the tool's definition with the pinned one, and then writes the call once.
   * @throws McpCallError, and Faults of the attempt
   */
  async call(mcp: McpOperation, call: ProgramCall, context: ProgramContext): Promise<ShownAnswer> {
    const { signal } = context;
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
      const key = keyOf(call, server);
      const wanted = { tenantId: call.tenantId, key, memoryBytes: mcpMemoryBytes(server.settings) };
      const lease = await this.#pool.take(wanted, WAIT_MS, signal);
      if (lease === null) throw new McpCallError('mcp.busy', NO_ROOM);
      return await this.#callOn(lease, key, mcp, call, { ...context, began });
    } finally {
      release();
    }
  }

  /**
   * Lists the tools of a server, by a process of its own without any way out.
   * @throws McpCallError; NotListedHere where there is no room
   */
  async list({ tenantId, resourceId, settings, image, resourceSecrets, signal }: ProgramListing): Promise<McpListDone> {
    const named = Object.values(resourceSecrets).map((value): NamedValue => ['RESOURCE', value]);
    const timeoutMs = MCP_LIMITS.listingMs - LISTING_MARGIN_MS;
    const parts = { settings, image, resourceSecrets, labels: { 'writ.resource': resourceId } };
    const session: ProgramSession = {
      tenantId,
      signal,
      timeoutMs: () => timeoutMs,
      mayCall: false,
      announce: () => Promise.resolve(),
      named,
    };
    const key = sha256Hex(canonicalBytes(['listing', tenantId, resourceId, settings, image]));
    const wanted = { tenantId, key, memoryBytes: mcpMemoryBytes(settings) };
    const lease = await this.#pool.take(wanted, WAIT_MS, signal);
    if (lease === null) throw new NotListedHere('mcp.busy', NO_ROOM);
    try {
      return await this.#run(
        { lease, gate: null, key, spent: () => undefined },
        parts,
        session,
        async (pool, lines, options) => pool.run('mcp.list', { ...work(lines), timeoutMs, named }, options),
      );
    } finally {
      await lease.process?.close();
      lease.release(false);
    }
  }

  async #callOn(
    lease: Lease,
    key: string,
    mcp: McpOperation,
    call: ProgramCall,
    { gate, signal, announce, spent, began }: ProgramContext & { readonly began: number },
  ): Promise<ShownAnswer> {
    const { tenantId, limits, values, operationId, resourceSecrets } = call;
    const { settings, resourceId } = programOf(call);
    const named = values?.named ?? [];
    const timeoutMs = (): number => sessionMs(limits.wall_ms - (this.#options.now() - began));
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
    try {
      const { answer } = await this.#run(
        { lease, key, spent, gate: (settings.hosts ?? []).length > 0 ? gate : null },
        parts,
        session,
        async (pool, lines, options) => {
          const bounds = { timeoutMs: timeoutMs(), bytesMax: limits.output_bytes };
          return pool.run('mcp.call', { ...work(lines), ...askedOf(mcp, call), ...bounds, named }, options);
        },
      );
      return answer;
    } finally {
      // A process that can't be used any more was closed, and only then isn't alive.
      const isKept = call.actsFor !== undefined;
      if (isKept) lease.process?.served(operationId);
      else await lease.process?.close();
      lease.release(isKept);
    }
  }

  /** Runs a session on the process that is held, or on a new one; and once more where it asks in older words alone. */
  async #run<T>(held: Held, parts: ProgramParts, session: ProgramSession, start: Start<T>): Promise<T> {
    const { gate, key, spent } = held;
    const on = async (isLegacy: boolean): Promise<T> => {
      const process = await this.#awake(held, parts, session);
      const close = gate === null ? null : process.openTo(gate);
      try {
        const done = await this.#sessions.run(process, session, isLegacy, start);
        this.#backoff.succeeded(key);
        return done;
      } finally {
        close?.();
        spent(await process.used());
      }
    };
    try {
      return await on(false).catch(async (error: unknown) => {
        // Some programs of the older revision end when they are asked for a newer one.
        if (!(error instanceof EndedAtStart) || session.signal.aborted) throw error;
        requireEngine(error.end);
        return await on(true);
      });
    } catch (error) {
      if (!(error instanceof EndedAtStart)) throw error;
      requireEngine(error.end);
      throw this.#failed(key, 'the program ended before it answered', error.end, session);
    }
  }

  /** The process that is held, or a new one in its place. */
  async #awake(held: Held, parts: ProgramParts, session: ProgramSession): Promise<KeptProcess> {
    const { lease } = held;
    if (lease.process !== null && (await lease.process.wake(session.signal))) return lease.process;
    return (lease.process = await this.#started(held, parts, session));
  }

  async #started({ key, spent }: Held, parts: ProgramParts, session: ProgramSession): Promise<KeptProcess> {
    const refusal = this.#backoff.refusal(key);
    if (refusal !== null) throw new McpCallError('mcp.unreachable', refusal);
    session.signal.throwIfAborted();
    const { sandbox, now } = this.#options;
    const started = await KeptProcess.start(sandbox, programJob(parts), now, session.signal);
    if (started instanceof KeptProcess) return started;
    const usage = usageOf(started);
    if (usage !== null) spent(usage);
    // Whoever stopped it is no failure of the program.
    session.signal.throwIfAborted();
    requireEngine(started);
    throw this.#failed(key, 'the program could not be started', started, session);
  }

  /** What one process said is told to its own call alone. */
  #failed(key: string, message: string, end: ProcessEnd, { named }: ProgramSession): McpCallError {
    this.#backoff.failed(key, message);
    const words = `${message}${wordsOf(end, named)}`;
    return new McpCallError('mcp.unreachable', words, 'an administrator looks at it by `writ mcp-server list`');
  }
}

const NO_ROOM = 'this executor runs as many programs of MCP servers as it may, or they take as much memory as they may';

/** The lease of a process, whose key the pauses of its starts are for. */
interface Held extends Pick<ProgramContext, 'spent'> {
  readonly lease: Lease;
  readonly gate: CallGate | null;
  readonly key: string;
}

/** @throws SandboxLost where a process ended by a failure of the engine, which is none of its program */
function requireEngine({ result }: ProcessEnd): void {
  if (result?.ended === 'lost' && result.reason === 'engine') throw lossOf(result);
}

/** How long a session may ask, of what is left to its call. */
function sessionMs(leftMs: number): number {
  const left = Math.max(0, leftMs);
  return Math.max(1, Math.round(left - Math.min(GIVE_UP_MS, left * GIVE_UP_SHARE)));
}

function askedOf(
  mcp: McpOperation,
  call: Pick<ProgramCall, 'args'>,
): Pick<CallWork, 'name' | 'digest' | 'args' | 'input' | 'known' | 'output'> {
  const { args, input } = inputOf(mcp, call.args);
  return {
    name: mcp.remote_name,
    digest: mcp.remote_digest,
    args,
    ...(input === null ? {} : { input }),
    known: null,
    output: mcp.output,
  };
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
 * Whom a process belongs to. What a call brought into it is labelled in the session and workspace of that call alone,
 * so that no other one may find it there. The values of secrets count by their hash, so that a process with an old one
 * serves no call with a new one. A call of nobody in particular has a process for itself.
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
