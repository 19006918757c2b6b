// SPDX-License-Identifier: Apache-2.0
import { parseAgentMessage } from './agent-message.ts';
import { Channels } from './channels.ts';
import { FakeShellAgent } from './fake-shell-agent.ts';
import { AGENT_FRAMES, FrameDecoder, HOST_FRAMES } from './frame.ts';
import { encodeHostMessage, parseHostMessage } from './host-message.ts';
import type { SandboxEntry, SandboxPatch } from './sandbox.ts';
import { NO_USAGE, Shell, ShellEnded, Shells, type ShellSpec, type ShellTurn, type ShellTurned } from './shell.ts';
import { ShellClient } from './shell-client.ts';
import type { FakeShellProgram } from './fake-shell-program.ts';

/**
 * Shells without containers: programs replace commands. Everything passes through frames, so callers see the same as
 * with an adapter.
 */
export class FakeShells extends Shells {
  readonly #programs: Readonly<Record<string, FakeShellProgram>>;
  /** every shell that was opened, for a test to inspect or kill */
  readonly opened: FakeShell[] = [];

  constructor(programs: Readonly<Record<string, FakeShellProgram>>) {
    super();
    this.#programs = programs;
  }

  override async open(spec: ShellSpec, signal: AbortSignal): Promise<Shell> {
    if (signal.aborted) throw new ShellEnded('killed', 'aborted', null, NO_USAGE);
    const shell = new FakeShell(this.#programs);
    await shell.start(spec);
    this.opened.push(shell);
    return shell;
  }
}

export class FakeShell extends Shell {
  readonly #agent: FakeShellAgent;
  readonly #talk: ShellClient;
  readonly #gone = Promise.withResolvers<undefined>();
  #closed = false;
  #hasProxy = false;
  readonly #toAgent: (bytes: Uint8Array) => void;

  constructor(programs: Readonly<Record<string, FakeShellProgram>>) {
    super();
    const back = new FrameDecoder(AGENT_FRAMES);
    this.#agent = new FakeShellAgent(programs, (bytes) => {
      for (const frame of back.push(bytes)) this.#talk.accept(parseAgentMessage(frame));
    });
    const there = new FrameDecoder(HOST_FRAMES);
    this.#toAgent = (bytes) => {
      for (const frame of there.push(bytes)) this.#agent.receive(parseHostMessage(frame));
    };
    this.#talk = new ShellClient(async (parts) => {
      for (const bytes of parts) this.#toAgent(bytes);
    });
  }

  /** the entries of its workspace */
  get files(): Map<string, SandboxEntry> {
    return this.#agent.files;
  }

  override get gone(): Promise<void> {
    return this.#gone.promise;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  start(spec: ShellSpec): Promise<void> {
    this.#hasProxy = spec.proxy === true;
    return this.#talk.open(spec);
  }

  override async turn(turn: ShellTurn, signal: AbortSignal): Promise<ShellTurned> {
    if (this.#closed) throw new ShellEnded('lost', 'container', null, NO_USAGE);
    if (signal.aborted) {
      await this.close();
      throw new ShellEnded('killed', 'aborted', null, NO_USAGE);
    }
    const channels = this.#hasProxy ? this.#channelsOf(turn) : null;
    const transcript = await this.#talk.turn(turn, channels).finally(() => channels?.close());
    const { end, turned } = transcript;
    if (end?.ended !== 'exited' || turned === null) {
      await this.close();
      throw new ShellEnded(
        end?.ended === 'limit' ? 'limit' : 'invalid',
        end?.reason ?? null,
        end?.detail ?? null,
        NO_USAGE,
      );
    }
    if (turned.state === 'gone') await this.close();
    return {
      state: turned.state,
      refused: turned.refused,
      exitCode: turned.code,
      output: Buffer.concat(transcript.output.map(({ bytes }) => bytes)),
      truncatedBytes: transcript.droppedBytes,
      changes: transcript.changes,
      usage: { ...NO_USAGE, outputBytes: transcript.outputBytes + transcript.droppedBytes },
    };
  }

  #channelsOf({ egress }: ShellTurn): Channels {
    return new Channels({
      send: (message) => message.type === 'net_open' || this.#toAgent(encodeHostMessage(message)),
      opened: (connection) => (egress === undefined ? connection.destroy() : egress.serve(connection)),
    });
  }

  override applyPatches(patches: readonly SandboxPatch[]): Promise<readonly string[]> {
    return this.#talk.applyPatches(patches);
  }

  override async close(): Promise<void> {
    this.#closed = true;
    this.#gone.resolve(undefined);
  }
}
