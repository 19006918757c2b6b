// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import {
  LIMITS,
  SHELL_SESSION,
  YIELD_MS,
  type FaultCode,
  type ShellAttachReply,
  type ShellEnding,
  type TenantId,
} from '@writ/contract';
import { blobReader, type BlobStore } from '@writ/blobs';
import { NO_USAGE, SandboxJobError, ShellEnded, type ShellTurned, type Shells } from '@writ/sandbox';
import { CONTAINER_TMPFS_BYTES, roomFault } from '../runners/container-room.ts';
import { readableTree, sandboxEntries } from '../runners/sandbox-entries.ts';
import type { Outputs } from '../outputs/outputs.ts';
import { withoutSecrets } from '../calls/call-secrets.ts';
import { pacedReader } from '../runners/paced-reader.ts';
import { imageOf, Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { LiveSession } from './live-session.ts';
import { endedResult, stagedEnd, stagedFailure, stagedTurn, type SessionArgs } from './session-result.ts';
import type { Sessions } from './sessions.ts';
import { WorkingCopy } from './working-copy.ts';

const CPUS = 1;
const SIZE = { cols: 120, rows: 40 } as const;
const SHELL_ID_BYTES = 16;
const CONFLICTS_SHOWN = 3;
/**
 * Of the values that one command is given: eight of the longest, which with the command fit into a frame however they
 * are written.
 */
const GIVEN_BYTES_MAX = 64 * 1024;

/** What a call without a shell is told, by why there is none. */
const ENDED: Readonly<Record<ShellEnding | 'none', readonly [FaultCode, string]>> = {
  lost: ['session.lost', 'the shell of the session is gone, with its directory, variables and jobs'],
  diverged: ['session.diverged', 'the shell of the session ended, since what it did was not committed'],
  idle: ['session.lost', 'the shell of the session ended, since nobody asked anything of it for long'],
  closed: ['session.idle', 'the session has no shell'],
  killed: ['session.lost', 'a person killed the shell of the session'],
  none: ['session.idle', 'the session has no shell'],
};
const START_HINT = 'a `command` starts a shell anew, on the newest state of the workspace';

/**
 * Runs the calls of sessions on shells that outlive them. INVARIANT (told or gone): a shell goes on only after a turn
 * whose effect was committed or that had none; after anything else it is killed, so that what it holds is never more
 * than the workspace has and nobody has seen.
 */
export class SessionRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  override readonly toolId = SHELL_SESSION.tool_id;
  readonly #with: {
    readonly shells: Shells;
    readonly sessions: Sessions;
    readonly blobs: BlobStore;
    readonly outputs: Outputs;
  };

  constructor(with_: {
    readonly shells: Shells;
    readonly sessions: Sessions;
    readonly blobs: BlobStore;
    readonly outputs: Outputs;
  }) {
    super();
    this.#with = with_;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const args: SessionArgs = call.args;
    if (givenBytes(call) > GIVEN_BYTES_MAX)
      return stagedFailure(
        'limit.exceeded',
        `the command names secrets of more than ${GIVEN_BYTES_MAX} bytes in all`,
        'use fewer of them in one command',
      );
    const isCommand = args.command !== undefined;
    const ours = await this.#attached(call, context, isCommand);
    if (!(ours instanceof LiveSession)) return ours;
    const giveBack = await ours.turn();
    if (giveBack === null)
      return stagedFailure('session.busy', 'too many calls wait for the session', 'wait for their answers');
    let away: Staged | null;
    try {
      // Asked again: whoever had the turn meanwhile may have committed.
      away =
        isCommand && ours.ending === null ? turnedAway(await context.attachShell(false, ours.shellId), call) : null;
    } catch (error) {
      giveBack();
      throw error;
    }
    return await this.#inTurn(ours, giveBack, async () => {
      if (ours.ending !== null) return stagedFailure(...ENDED[ours.ending], START_HINT);
      return away ?? (await withoutSecrets(await this.#asked(ours, call, context, args), ours.values, context.work));
    });
  }

  /**
   * Has the call that has the turn give it back once its report is settled. One that fails through a fault of ours ends
   * the shell: nobody knows what it did.
   */
  async #inTurn(ours: LiveSession, giveBack: () => void, run: () => Promise<Staged>): Promise<Staged> {
    try {
      const staged = await run();
      return {
        ...staged,
        settle: async (reply) => {
          try {
            await staged.settle?.(reply);
          } finally {
            giveBack();
          }
        },
      };
    } catch (error) {
      await this.#with.sessions.end(ours, 'lost');
      giveBack();
      throw error;
    }
  }

  /** The session of the call, opened if need be; or what the call is told where there is none. */
  async #attached(call: Call, context: RunContext, opens: boolean): Promise<LiveSession | Staged> {
    const attach = (mayOpen: boolean): Promise<ShellAttachReply> =>
      context.attachShell(mayOpen, randomBytes(SHELL_ID_BYTES).toString('hex'));
    const reply = await attach(opens);
    const { verdict, shell_id } = reply;
    const away = turnedAway(reply, call);
    if (away !== null || shell_id === null) return away ?? noShell(call, null);
    if (verdict === 'opened') return await this.#open(call, context, shell_id);
    const found = this.#with.sessions.find(shell_id);
    if (found?.image === imageOf(call)) return found;
    if (found !== null) {
      // A permit is for one image: no call runs in a container of another, however long that has stood.
      await this.#with.sessions.end(found, 'lost');
      return stagedFailure(
        'session.lost',
        'the shell of the session ended, since its calls run in another image by now',
        START_HINT,
      );
    }
    // Of an earlier life of this executor, whose lease still runs.
    await context.endShell(shell_id, 'lost');
    await attach(false);
    return stagedFailure(...ENDED.lost, START_HINT);
  }

  async #open(call: Call, context: RunContext, shellId: string): Promise<LiveSession | Staged> {
    const { shells, sessions, blobs, outputs } = this.#with;
    const image = imageOf(call);
    const placed = sessions.place();
    try {
      if (placed === null) throw new ShellEnded('lost', 'engine', 'as many sessions live here as may', NO_USAGE);
      const reader = pacedReader(blobReader(blobs, call.tenantId as TenantId));
      const tree = await readableTree(reader, call.root, call.fs);
      const tight = roomFault(tree);
      if (tight !== null) throw new ShellEnded('limit', 'workspace_space', tight, NO_USAGE);
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
        { image, files, env: {}, limits, size, labels: { 'writ.operation': call.operationId } },
        context.signal,
      );
      const session = new LiveSession({
        tenantId: call.tenantId,
        shellId,
        image,
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
      placed?.();
    }
  }

  async #asked(session: LiveSession, call: Call, context: RunContext, args: SessionArgs): Promise<Staged> {
    const { sessions } = this.#with;
    if (args.close === true) {
      await sessions.end(session, 'closed');
      return endedResult();
    }
    const started = performance.now();
    try {
      if (args.command !== undefined && !session.isRunning) {
        const conflicts = await session.shell.bring(await session.copy.patchesTo(call.root, call.fs));
        if (conflicts.length > 0)
          return stagedFailure(
            'session.conflict',
            conflictOf(conflicts),
            'commit or undo what the session has changed there: an empty call commits it, `close` gives it up',
          );
        session.copy.broughtTo(call.root);
      }
      session.learn(call.secrets);
      const turned = await session.shell.turn(turnOf(args, call), context.signal);
      session.output.push(turned.output);
      return await this.#staged(session, call, args, { ...turned, output: await session.told(turned) });
    } catch (error) {
      if (!(error instanceof ShellEnded)) throw error;
      // Whoever asked is told; the next one starts anew. Only of a call that was stopped nobody hears.
      await sessions.end(session, error.ended === 'killed' ? 'lost' : 'closed');
      return stagedEnd(error, Math.round(performance.now() - started));
    }
  }

  async #staged(session: LiveSession, call: Call, args: SessionArgs, turned: ShellTurned): Promise<Staged> {
    const { sessions } = this.#with;
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
        const isTaken = reply?.tx_outcome === 'committed' || reply?.tx_outcome === 'no_op';
        if (isOver) await sessions.end(session, 'closed');
        // Not heard, the attempt may be run again, and must not find what it did; not committed, the workspace never
        // saw it.
        else if (reply === null || (!isTaken && !isNothing))
          await sessions.end(session, reply === null ? 'lost' : 'diverged');
        else {
          session.copy.committed(copied.next);
          sessions.touch(session);
        }
      },
    };
  }
}

/**
 * What the call is told where it gets no turn at the shell; null where it may have one. INVARIANT (nothing old): no
 * command runs on a state of before what its own session has committed: it would find the session's files as they were,
 * and what it did would take the session's own commits back.
 */
function turnedAway({ verdict, ending, is_behind: isBehind = false }: ShellAttachReply, call: Call): Staged | null {
  if (isBehind && call.args['command'] !== undefined)
    return stagedFailure(
      'session.busy',
      'another call of the session has committed since this one was decided',
      'ask again, one command after the other',
    );
  if (verdict === 'elsewhere')
    return stagedFailure('session.busy', 'another call is about to open the session', 'ask again');
  return verdict === 'ended' ? noShell(call, ending) : null;
}

const noShell = ({ args }: Call, ending: ShellEnding | null): Staged =>
  args['close'] === true && ending !== 'lost' ? endedResult() : stagedFailure(...ENDED[ending ?? 'none'], START_HINT);

const givenBytes = ({ env = {} }: Call): number =>
  Object.values(env).reduce((sum, value) => sum + Buffer.byteLength(value), 0);

function turnOf(args: SessionArgs, { limits, env = {} }: Call) {
  return {
    ...(args.command === undefined ? {} : { command: args.command }),
    ...(Object.keys(env).length === 0 ? {} : { variables: env }),
    ...(args.input === undefined ? {} : { input: args.input }),
    ...(args.ctrl === undefined ? {} : { control: args.ctrl }),
    ...(args.cols === undefined || args.rows === undefined ? {} : { size: { cols: args.cols, rows: args.rows } }),
    yieldMs: Math.min(args.yield_ms ?? YIELD_MS.default, limits.wall_ms),
    limits: {
      cpuMs: limits.cpu_ms,
      cpus: CPUS,
      outputBytes: limits.output_bytes,
      deltaBytes: limits.disk_write_bytes,
      deltaFiles: LIMITS.deltaChanges.max,
    },
  };
}

function refusalOf({ refused }: ShellTurned): readonly [FaultCode, string] | null {
  if (refused === 'busy') return ['session.busy', 'a command is under way: `input` and `ctrl` reach it'];
  return refused === 'idle'
    ? ['session.idle', 'no program is under way that could take input: send a `command`']
    : null;
}

const conflictOf = (paths: readonly string[]): string =>
  `another call changed what the session has changed and not committed: ${paths
    .slice(0, CONFLICTS_SHOWN)
    .map((path) => `\`${path.slice(0, 200)}\``)
    .join(', ')}`;
