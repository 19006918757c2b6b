// SPDX-License-Identifier: Apache-2.0
/**
 * The host's side of the talk with a shell's agent, whatever carries the frames. The agent's word is the job's: it is
 * held to form and order here.
 *
 * INVARIANT (one question at a time): an agent speaks only when asked, and says nothing beside its answer.
 */
import type { AgentMessage } from './agent-message.ts';
import { isChannelMessage } from './channel-message.ts';
import { encodeEntries, stateOf, type Parts } from './encode-entries.ts';
import { encodePatch } from './encode-patch.ts';
import { EntryTree } from './entry-tree.ts';
import { FrameError, META_BYTES_MAX } from './frame.ts';
import { encodeHostMessage } from './host-message.ts';
import type { SandboxChange, SandboxPatch } from './sandbox.ts';
import type { ShellSpec, ShellTurn } from './shell.ts';
import { CHECKS_MAX, type CheckedPath } from './shell-message.ts';
import { stateOfAfter, Transcript } from './transcript.ts';

type Answer<T> = { readonly take: (message: AgentMessage) => T | null; readonly resolve: (value: T) => void };

export class ShellTalk {
  readonly #send: (parts: Parts) => Promise<void>;
  /** what stands in the container, as far as it was sent and told */
  readonly #tree = new EntryTree();
  #turns = 0;
  #waiting: Answer<never> | null = null;
  #isOver = false;

  /** @param send resolves when more may be sent */
  constructor(send: (parts: Parts) => Promise<void>) {
    this.#send = send;
  }

  /** Takes the agent's next message. Throws FrameError when it can't stand here: the shell is then worthless. */
  accept(message: AgentMessage): void {
    // The account ended badly here, and what was under way still comes.
    if (this.#isOver) return;
    const waiting = this.#waiting;
    if (waiting === null) throw new FrameError('the agent speaks unasked');
    const answer = waiting.take(message);
    if (answer === null) return;
    this.#waiting = null;
    waiting.resolve(answer);
  }

  /** Sends the workspace and opens the shell. Throws SandboxJobError at an entry that can't be there. */
  async open({ files, env, size }: ShellSpec): Promise<void> {
    for await (const parts of encodeEntries(files, this.#tree)) await this.#send(parts);
    await this.#send([encodeHostMessage({ type: 'shell', env, ...size })]);
  }

  /** One turn. Resolves with the agent's account once that has ended, also badly: see its `end`. */
  async turn(turn: ShellTurn): Promise<Transcript> {
    const { limits, size } = turn;
    const transcript = new Transcript(this.#tree, limits);
    const order = {
      turn: ++this.#turns,
      command: turn.command ?? null,
      ...(turn.variables === undefined ? {} : { variables: turn.variables }),
      input: turn.input ?? null,
      ctrl: turn.control ?? null,
      yield_ms: turn.yieldMs,
      cols: size?.cols ?? null,
      rows: size?.rows ?? null,
      output_bytes_max: limits.outputBytes,
      delta_bytes_max: limits.deltaBytes,
      delta_files_max: limits.deltaFiles,
    };
    const answered = this.#answer((message) => {
      // A session has no way out.
      if (isChannelMessage(message)) throw new FrameError('a shell has no proxy');
      if (message.type === 'turned' && message.turn !== order.turn) throw new FrameError('another turn is answered');
      transcript.accept(message);
      this.#isOver = transcript.end !== null && transcript.end.ended !== 'exited';
      return transcript.end === null ? null : transcript;
    });
    await this.#send([encodeHostMessage({ type: 'turn', order })]);
    const told = await answered;
    this.#keep(told.changes);
    return told;
  }

  /**
   * Asks whether the patches meet nothing untold, then sends them. Resolves with what they meet; then nothing was sent.
   */
  async bring(patches: readonly SandboxPatch[]): Promise<readonly string[]> {
    if (patches.length === 0) return [];
    const answered = this.#answer((message) => {
      if (message.type !== 'checked') throw new FrameError('a check is answered by something else');
      return message.conflicts;
    });
    const checks = [...checksOf(patches)];
    for (const [i, paths] of checks.entries())
      await this.#send([encodeHostMessage({ type: 'check', paths, last: i === checks.length - 1 })]);
    const conflicts = await answered;
    if (conflicts.length > 0) return conflicts;
    for (const patch of patches) for (const parts of encodePatch(patch)) await this.#send(parts);
    for (const patch of patches) this.#tree.put(patch.path, patch.kind === 'gone' ? null : stateOf(patch));
    return [];
  }

  #answer<T>(take: (message: AgentMessage) => T | null): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    this.#waiting = { take, resolve } as Answer<never>;
    return promise;
  }

  #keep(changes: readonly SandboxChange[]): void {
    for (const { path, after } of changes) this.#tree.put(path, after === null ? null : stateOfAfter(after));
  }
}

function* checksOf(patches: readonly SandboxPatch[]): Generator<readonly CheckedPath[]> {
  let batch: CheckedPath[] = [];
  let bytes = 0;
  for (const { path, kind } of patches) {
    // At worst six characters of JSON to the byte, and the fields around it.
    const cost = Buffer.byteLength(JSON.stringify(path)) + 32;
    if (batch.length === CHECKS_MAX || bytes + cost > META_BYTES_MAX) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    // Where no directory is to stand, one that stands there goes with all that is in it.
    batch.push({ path, gone: kind !== 'dir' });
    bytes += cost;
  }
  yield batch;
}
