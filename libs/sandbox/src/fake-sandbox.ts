// SPDX-License-Identifier: Apache-2.0
import { parseAgentMessage } from './agent-message.ts';
import { isChannelMessage } from './channel-message.ts';
import { Channels } from './channels.ts';
import { assertRunnable, encodeJob } from './encode-job.ts';
import { EntryTree } from './entry-tree.ts';
import { FakeAgent } from './fake-agent.ts';
import { AGENT_FRAMES, FrameDecoder, HOST_FRAMES } from './frame.ts';
import { encodeHostMessage, parseHostMessage } from './host-message.ts';
import {
  connectionsOf,
  Sandbox,
  type ContainerUsage,
  type RunningJob,
  type SandboxJob,
  type SandboxResult,
} from './sandbox.ts';
import { Transcript } from './transcript.ts';
import { fakeNameOf, type FakeEnd, type FakeWorld, type FakeProgram } from './fake-program.ts';

export interface FakeSandboxOptions {
  /** the fake commands; any other command ends with the shell's 127 */
  readonly programs: Readonly<Record<string, FakeProgram>>;
  /** images that exist; absent: all do */
  readonly images?: readonly string[];
  /** how jobs that speak with their caller are measured and stopped; absent: they use nothing, and can't be stopped */
  readonly running?: RunningJob;
  /** resolves after that many milliseconds, or when the signal aborts */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Ending = Pick<SandboxResult, 'ended' | 'reason' | 'detail'>;
const KILLED: Ending = { ended: 'killed', reason: 'aborted', detail: null };
const UNMEASURED: RunningJob = {
  usage: () => Promise.resolve({ cpuMs: 0, memoryPeakBytes: 0 }),
  freeze: () => Promise.resolve(false),
  thaw: () => Promise.resolve(),
};
/** The shell's status for a command that it can't find. */
const NOT_FOUND = 127;

/**
 * A sandbox without containers: programs replace commands, and a map replaces the file system. Everything else is real:
 * the job and its messages pass through frames, so callers see the same as with an adapter.
 */
export class FakeSandbox extends Sandbox {
  readonly #options: FakeSandboxOptions;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: FakeSandboxOptions) {
    super();
    this.#options = options;
  }

  override async run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
    assertRunnable(job);
    const run = this.#run(job, AbortSignal.any([signal, this.#closing.signal]));
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }

  override async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }

  async #run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
    const { running = UNMEASURED } = this.#options;
    const sent = new EntryTree();
    const transcript = new Transcript(sent, job.limits);
    if (signal.aborted) return resultOf(KILLED, transcript);
    if (this.#options.images && !this.#options.images.includes(job.image)) {
      const detail = `no such image: \`${job.image}\``;
      return { ...resultOf({ ended: 'lost', reason: 'engine', detail }, transcript), isUnstarted: true };
    }
    const back = new FrameDecoder(AGENT_FRAMES);
    const there = new FrameDecoder(HOST_FRAMES);
    const send = (bytes: Uint8Array) => {
      for (const frame of there.push(bytes)) agent.receive(parseHostMessage(frame));
    };
    const connections = connectionsOf(job, running);
    const channels = new Channels({
      send: (message) => message.type !== 'net_open' && send(encodeHostMessage(message)),
      opened: (connection) => connections?.serve(connection),
    });
    const agent = new FakeAgent((bytes) => {
      for (const frame of back.push(bytes)) {
        const message = parseAgentMessage(frame);
        if (isChannelMessage(message)) channels.receive(message);
        else {
          transcript.accept(message);
          if (message.type === 'stdout' || message.type === 'stderr')
            void job.tap?.({ stream: message.type, bytes: message.bytes });
        }
      }
    });
    for await (const parts of encodeJob(job, sent)) for (const bytes of parts) send(bytes);
    const ending = await this.#perform(agent, job, signal).finally(() => {
      agent.kill();
      channels.close();
    });
    const end = ending ?? transcript.end ?? { ended: 'lost', reason: 'container', detail: null };
    return resultOf(end, transcript, await running.usage());
  }

  /** Resolves with how the engine ended the job, or null when the agent reports the end. */
  async #perform(agent: FakeAgent, job: SandboxJob, signal: AbortSignal): Promise<Ending | null> {
    const program = this.#options.programs[fakeNameOf(job)] ?? notFound;
    const end = await untilAborted(program(agent.world), signal);
    if (end === null) return KILLED;
    if (typeof end === 'object' && 'ended' in end) return { ...end, detail: null };
    const { wallMs, idleMs = wallMs, cpuMs, cpus } = job.limits;
    const busyMs = end === 'busy' ? cpuMs / cpus : Infinity;
    if (end === 'never' || end === 'busy') await this.#options.sleep(Math.min(wallMs, idleMs, busyMs), signal);
    if (signal.aborted) return KILLED;
    if (busyMs < Math.min(wallMs, idleMs)) return { ended: 'limit', reason: 'cpu', detail: null };
    if ((end === 'never' || end === 'busy') && idleMs < wallMs)
      return { ended: 'timeout', reason: 'idle', detail: null };
    agent.exit(end === 'busy' ? 'never' : end);
    return null;
  }
}

/** Null where the signal aborts first: a program that speaks with its caller would not end by itself. */
async function untilAborted(end: FakeEnd | Promise<FakeEnd>, signal: AbortSignal): Promise<FakeEnd | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const stop = (): void => resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return await Promise.race([end, aborted]).finally(() => signal.removeEventListener('abort', stop));
}

function notFound(world: FakeWorld): number {
  world.err('command not found\n');
  return NOT_FOUND;
}

function resultOf(
  ending: Ending,
  transcript: Transcript,
  measured: ContainerUsage = { cpuMs: 0, memoryPeakBytes: 0 },
): SandboxResult {
  return {
    ended: ending.ended,
    reason: ending.reason,
    detail: ending.detail,
    exitCode: transcript.exit?.code ?? null,
    signal: transcript.exit?.signal ?? null,
    output: transcript.output,
    truncatedBytes: transcript.truncatedBytes,
    untappedBytes: transcript.droppedBytes,
    changes: ending.ended === 'exited' ? transcript.changes : [],
    usage: {
      wallMs: 0,
      ...measured,
      outputBytes: transcript.outputBytes + transcript.droppedBytes,
      outputLines: transcript.outputLines,
    },
  };
}
