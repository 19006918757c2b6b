// SPDX-License-Identifier: Apache-2.0
/**
 * The host's side of the protocol with a shell's agent, whatever carries the frames. The job controls the agent's
 * messages, so their form and order are checked here.
 *
 * INVARIANT (one question at a time): an agent sends messages only on request, and only its answer. Messages of
 * connections belong to a turn's answer: before a turn and after its end, one of them breaks the protocol.
 */
import type { AgentMessage } from './agent-message.ts';
import { isChannelMessage } from './channel-message.ts';
import type { Channels } from './channels.ts';
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

export class ShellClient {
  readonly #send: (parts: Parts) => Promise<void>;
  /** the entries in the container, as far as they were sent or reported */
  readonly #tree = new EntryTree();
  #turns = 0;
  #waiting: Answer<never> | null = null;
  #isOver = false;

  /** @param send resolves when more may be sent */
  constructor(send: (parts: Parts) => Promise<void>) {
    this.#send = send;
  }

  /** Processes the agent's next message. Throws FrameError when it is invalid here: the shell is then unusable. */
  accept(message: AgentMessage): void {
    // The turn has ended with a fault here, and messages that were in transit still arrive.
    if (this.#isOver) return;
    const waiting = this.#waiting;
    if (waiting === null) throw new FrameError('the agent speaks unasked');
    const answer = waiting.take(message);
    if (answer === null) return;
    this.#waiting = null;
    waiting.resolve(answer);
  }

  /** Sends the workspace and opens the shell. Throws SandboxJobError at an invalid entry. */
  async open({ files, env, size, proxy }: ShellSpec): Promise<void> {
    for await (const parts of encodeEntries(files, this.#tree)) await this.#send(parts);
    await this.#send([encodeHostMessage({ type: 'shell', env, ...size, ...(proxy === undefined ? {} : { proxy }) })]);
  }

  /**
   * Runs one turn. Resolves with the agent's messages once the turn has ended, also with a fault: see its `end`.
   * @param channels the connections of this turn alone, which the caller closes when it is over; null where the shell
   * has no proxy
   */
  async turn(turn: ShellTurn, channels: Channels | null = null): Promise<Transcript> {
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
      if (isChannelMessage(message)) {
        if (channels === null) throw new FrameError('the shell has no proxy');
        if (transcript.turned !== null) throw new FrameError("a channel is spoken on after the turn's end");
        channels.receive(message);
        return null;
      }
      if (message.type === 'turned' && message.turn !== order.turn) throw new FrameError('another turn is answered');
      transcript.accept(message);
      this.#isOver = transcript.end !== null && transcript.end.ended !== 'exited';
      return transcript.end === null ? null : transcript;
    });
    await this.#send([encodeHostMessage({ type: 'turn', order })]);
    const reported = await answered;
    this.#keep(reported.changes);
    return reported;
  }

  /**
   * Checks that the patches overwrite no unreported change, then sends them. Resolves with the conflicting paths, in
   * which case nothing was sent.
   */
  async applyPatches(patches: readonly SandboxPatch[]): Promise<readonly string[]> {
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
    // At worst six characters of JSON for each byte, and the other fields.
    const cost = Buffer.byteLength(JSON.stringify(path)) + 32;
    if (batch.length === CHECKS_MAX || bytes + cost > META_BYTES_MAX) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    // Where there will be no directory, an existing one is removed with all of its contents.
    batch.push({ path, gone: kind !== 'dir' });
    bytes += cost;
  }
  yield batch;
}
