// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { SHELL_SESSION, type FaultCode, type ShellAttachReply, type ShellEnding, type TenantId } from '@writ/contract';
import { blobReader, type BlobStore } from '@writ/blobs';
import { NO_USAGE, SandboxJobError, ShellEnded, type ShellTurned, type Shells } from '@writ/sandbox';
import { CONTAINER_TMPFS_BYTES, capacityFault } from '../runners/container-capacity.ts';
import { readableTree, sandboxEntries } from '../runners/sandbox-entries.ts';
import type { LiveOutputs } from '../outputs/live-outputs.ts';
import { withoutSecrets } from '../calls/call-secrets.ts';
import { pacedReader } from '../runners/paced-reader.ts';
import { imageOf, Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import type { CallGate } from '../egress/call-gate.ts';
import type { EgressGate } from '../egress/gate.ts';
import { Proxy } from '../egress/proxy.ts';
import { CPUS, refusalOf, refusalOfSecrets, turnOf } from './call-turn.ts';
import { LiveSession } from './live-session.ts';
import { endedResult, stagedEnd, stagedFailure, stagedTurn, type SessionArgs } from './session-result.ts';
import type { Sessions } from './sessions.ts';
import { WorkingCopy } from './working-copy.ts';

const SIZE = { cols: 120, rows: 40 } as const;
const SHELL_ID_BYTES = 16;
const CONFLICTS_SHOWN = 3;
/** The failure of a call without a shell, by why there is none. */
const FAILURE_BY_ENDING: Readonly<Record<ShellEnding | 'none', readonly [FaultCode, string]>> = {
  lost: ['session.lost', 'the shell of the session is gone, with its directory, variables and jobs'],
  diverged: ['session.diverged', 'the shell of the session ended, since what it did was not committed'],
  idle: ['session.lost', 'the shell of the session ended, since nobody asked anything of it for long'],
  closed: ['session.idle', 'the session has no shell'],
  killed: ['session.lost', 'a person killed the shell of the session'],
  none: ['session.idle', 'the session has no shell'],
};
const START_HINT = 'a `command` starts a shell anew, on the newest state of the workspace';

/**
 * Runs the calls of sessions on shells that outlive them. INVARIANT (reported or gone): a shell lives on only after a
 * turn without changes or with a committed effect. After anything else it is killed, so that it never holds changes
 * that the workspace lacks.
 */
export class SessionRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  override readonly toolId = SHELL_SESSION.tool_id;
  readonly #dependencies: {
    readonly shells: Shells;
    readonly sessions: Sessions;
    readonly blobs: BlobStore;
    readonly gate: EgressGate;
    readonly outputs: LiveOutputs;
  };

  constructor(dependencies: {
    readonly shells: Shells;
    readonly sessions: Sessions;
    readonly blobs: BlobStore;
    readonly gate: EgressGate;
    readonly outputs: LiveOutputs;
  }) {
    super();
    this.#dependencies = dependencies;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const args: SessionArgs = call.args;
    const refusedSecrets = refusalOfSecrets(call, args);
    if (refusedSecrets !== null) return refusedSecrets;
    const isCommand = args.command !== undefined;
    const session = await this.#attach(call, context, isCommand);
    if (!(session instanceof LiveSession)) return session;
    const endTurn = await session.turn(context.signal);
    if (endTurn === null)
      return stagedFailure('session.busy', 'too many calls wait for the session', 'wait for their answers');
    let refusal: Staged | null;
    try {
      // Asked again: the previous call of the session may have committed meanwhile.
      refusal =
        isCommand && session.ending === null
          ? refusalOfAttach(await context.attachShell(false, session.shellId), call)
          : null;
    } catch (error) {
      endTurn();
      throw error;
    }
    return await this.#inTurn(session, endTurn, async () => {
      if (session.ending !== null) return stagedFailure(...FAILURE_BY_ENDING[session.ending], START_HINT);
      return (
        refusal ??
        (await withoutSecrets(await this.#runTurn(session, call, context, args), session.values, context.work))
      );
    });
  }

  /**
   * Runs the call that has the turn, and ends the turn once its report is settled. If the call fails through a fault of
   * the executor, this ends the shell, because its effect is unknown.
   */
  async #inTurn(session: LiveSession, endTurn: () => void, run: () => Promise<Staged>): Promise<Staged> {
    try {
      const staged = await run();
      return {
        ...staged,
        settle: async (reply) => {
          try {
            await staged.settle?.(reply);
          } finally {
            endTurn();
          }
        },
      };
    } catch (error) {
      try {
        await this.#dependencies.sessions.end(session, 'lost');
      } finally {
        endTurn();
      }
      throw error;
    }
  }

  /** The session of the call, opened if needed, or the staged failure where there is none. */
  async #attach(call: Call, context: RunContext, opens: boolean): Promise<LiveSession | Staged> {
    const attach = (mayOpen: boolean): Promise<ShellAttachReply> =>
      context.attachShell(mayOpen, randomBytes(SHELL_ID_BYTES).toString('hex'));
    const reply = await attach(opens);
    const { verdict, shell_id } = reply;
    const refusal = refusalOfAttach(reply, call);
    if (refusal !== null || shell_id === null) return refusal ?? noShell(call, null);
    if (verdict === 'opened')
      return await this.#dependencies.sessions.renewedWhile({ tenant_id: call.tenantId, shell_id }, () =>
        this.#open(call, context, shell_id),
      );
    const found = this.#dependencies.sessions.find(shell_id);
    const outdated = found === null ? null : outdatedBy(found, call);
    if (found !== null && outdated === null) return found;
    if (found !== null) {
      await this.#dependencies.sessions.end(found, 'lost');
      return stagedFailure('session.lost', `the shell of the session ended, since ${outdated}`, START_HINT);
    }
    if (this.#dependencies.sessions.isStarting(shell_id)) return stagedOpening();
    // The shell belongs to an earlier process of this executor, whose lease still runs.
    await context.endShell(shell_id, 'lost');
    await attach(false);
    return stagedFailure(...FAILURE_BY_ENDING.lost, START_HINT);
  }

  async #open(call: Call, context: RunContext, shellId: string): Promise<LiveSession | Staged> {
    const { shells, sessions, blobs, outputs } = this.#dependencies;
    const image = imageOf(call);
    const releaseSlot = sessions.reserveSlot();
    try {
      if (releaseSlot === null) throw new ShellEnded('lost', 'engine', 'as many sessions live here as may', NO_USAGE);
      const reader = pacedReader(blobReader(blobs, call.tenantId as TenantId));
      const tree = await readableTree(reader, call.root, call.fs);
      const capacityMessage = capacityFault(tree);
      if (capacityMessage !== null) throw new ShellEnded('limit', 'workspace_space', capacityMessage, NO_USAGE);
      const files = sandboxEntries(reader, tree);
      const { cols, rows }: SessionArgs = call.args;
      const limits = {
        memoryBytes: call.limits.memory_bytes,
        cpus: CPUS,
        pids: call.limits.pids,
        tmpfsBytes: CONTAINER_TMPFS_BYTES,
      };
      const size = cols === undefined || rows === undefined ? SIZE : { cols, rows };
      const shell = await shells.open(
        { image, files, env: {}, limits, size, proxy: true, labels: { 'writ.operation': call.operationId } },
        context.signal,
      );
      const session = new LiveSession({
        tenantId: call.tenantId,
        shellId,
        image,
        paths: pathsOf(call),
        shell,
        copy: new WorkingCopy(blobs, call.tenantId, call.root),
        output: outputs.open(shellId, call.secrets),
      });
      sessions.add(session);
      return session;
    } catch (error) {
      await context.endShell(shellId, 'closed');
      if (error instanceof ShellEnded)
        return error.ended === 'limit'
          ? stagedEnd(error, 0)
          : stagedFailure('sandbox.unavailable', error.message, 'ask again later');
      if (error instanceof SandboxJobError) return stagedFailure('sandbox.unavailable', error.message, null);
      throw error;
    } finally {
      releaseSlot?.();
    }
  }

  async #runTurn(session: LiveSession, call: Call, context: RunContext, args: SessionArgs): Promise<Staged> {
    if (args.close === true) {
      await this.#dependencies.sessions.end(session, 'closed');
      return endedResult();
    }
    const started = performance.now();
    const stagedOf = (error: unknown): Promise<Staged> => this.#stageEnd(session, error, started);
    try {
      const conflict = await this.#update(session, call, args);
      if (conflict !== null) return conflict;
    } catch (error) {
      return await stagedOf(error);
    }
    session.addValues(call.secrets);
    const gate = this.#openGate(session, call, context);
    const staged = await this.#turn(session, call, context, gate).catch(stagedOf);
    return { ...staged, usage: { ...staged.usage, egress_bytes: gate.bytes }, requests: gate.requests };
  }

  /**
   * Brings the container to the snapshot of a command. The staged failure where that would undo the shell's changes.
   */
  async #update(session: LiveSession, call: Call, { command }: SessionArgs): Promise<Staged | null> {
    if (command === undefined || session.isRunning) return null;
    const conflicts = await session.shell.applyPatches(await session.copy.patchesTo(call.root, call.fs));
    if (conflicts.length > 0)
      return stagedFailure(
        'session.conflict',
        conflictOf(conflicts),
        'commit or undo what the session has changed there: an empty call commits it, `close` gives it up',
      );
    session.copy.markUpdatedTo(call.root);
    return null;
  }

  /**
   * The gate of a call, under the grants and limits of its own token. A list of requests may show any value that the
   * shell has received. INVARIANT (no private endpoints): settings of a resource don't decide where a command connects.
   * So a call that names its container reaches only public addresses, as any command does.
   */
  #openGate({ values }: LiveSession, { net, limits }: Call, context: RunContext): CallGate {
    return this.#dependencies.gate.open({ net, limits, values, resources: [] }, context);
  }

  /** INVARIANT (open during a call): the gate closes with the turn, and so does each connection of the shell. */
  async #turn(session: LiveSession, call: Call, context: RunContext, gate: CallGate): Promise<Staged> {
    const args: SessionArgs = call.args;
    const proxy = new Proxy(gate);
    const egress = { serve: (connection: Duplex) => proxy.serve(connection) };
    const turned = await session.shell.turn(turnOf(args, call, egress), context.signal).finally(() => gate.close());
    session.output.push(turned.output);
    return await this.#stageTurn(session, call, args, { ...turned, output: await session.redactedOutput(turned) });
  }

  /** The staged end of a call whose shell ended unexpectedly. Throws every other error. */
  async #stageEnd(session: LiveSession, error: unknown, started: number): Promise<Staged> {
    if (!(error instanceof ShellEnded)) throw error;
    // This call reports the end, and the next one starts a new shell. Only a stopped call isn't reported.
    await this.#dependencies.sessions.end(session, error.ended === 'killed' ? 'lost' : 'closed');
    return stagedEnd(error, Math.round(performance.now() - started));
  }

  async #stageTurn(session: LiveSession, call: Call, args: SessionArgs, turned: ShellTurned): Promise<Staged> {
    const { sessions } = this.#dependencies;
    session.isRunning = turned.state === 'running';
    const isOver = turned.state === 'gone';
    const { isFirst } = session;
    session.isFirst = false;
    const copied = await session.copy.deltaOn(call.root, turned.changes);
    if ('conflicts' in copied) {
      await sessions.end(session, 'closed');
      return stagedTurn({ args, isFirst }, turned, null, ['session.conflict', conflictOf(copied.conflicts)]);
    }
    return {
      ...stagedTurn({ args, isFirst }, turned, copied, refusalOf(turned)),
      settle: async (reply) => {
        const isNothing = copied.delta.changes.length === 0;
        const isAccepted = reply?.tx_outcome === 'committed' || reply?.tx_outcome === 'no_op';
        if (isOver) await sessions.end(session, 'closed');
        // Without a reply the attempt may run again and must not find its earlier changes. Without a commit the
        // workspace lacks the changes.
        else if (reply === null || (!isAccepted && !isNothing))
          await sessions.end(session, reply === null ? 'lost' : 'diverged');
        else {
          session.copy.markCommitted(copied.next);
          sessions.touch(session);
        }
      },
    };
  }
}

/** The paths of the tenant's settings, which come after the roots of the tokens. */
const pathsOf = ({ fs }: Call): string => JSON.stringify(fs.at(-1) ?? []);

/**
 * Why a call can't run in a shell that lives, in words for the caller; null where it can. A permit is for one image: no
 * call runs in a container of another one, however old that is. INVARIANT (settings reach shells): a container keeps
 * the files that it received, so it serves no call after the tenant changed which paths calls may reach.
 */
function outdatedBy({ image, paths }: LiveSession, call: Call): string | null {
  if (image !== imageOf(call)) return 'its calls run in another image by now';
  return paths === pathsOf(call) ? null : 'the tenant changed which paths calls may reach';
}

/**
 * The staged failure of a call that may not run in the shell; null where it may. INVARIANT (nothing old): no command
 * runs on a state from before the session's own commits. It would see the session's old files, and its effect would
 * revert those commits.
 */
function refusalOfAttach(
  { verdict, ending, is_behind: isBehind = false }: ShellAttachReply,
  call: Call,
): Staged | null {
  if (isBehind && call.args['command'] !== undefined)
    return stagedFailure(
      'session.busy',
      'another call of the session has committed since this one was decided',
      'ask again, one command after the other',
    );
  if (verdict === 'elsewhere') return stagedOpening();
  return verdict === 'ended' ? noShell(call, ending) : null;
}

const stagedOpening = (): Staged =>
  stagedFailure('session.busy', 'another call is about to open the session', 'ask again');

const noShell = ({ args }: Call, ending: ShellEnding | null): Staged =>
  args['close'] === true && ending !== 'lost'
    ? endedResult()
    : stagedFailure(...FAILURE_BY_ENDING[ending ?? 'none'], START_HINT);

const conflictOf = (paths: readonly string[]): string =>
  `another call changed what the session has changed and not committed: ${paths
    .slice(0, CONFLICTS_SHOWN)
    .map((path) => `\`${path.slice(0, 200)}\``)
    .join(', ')}`;
