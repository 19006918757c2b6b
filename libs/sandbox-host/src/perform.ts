// SPDX-License-Identifier: Apache-2.0
import {
  connectionsOf,
  encodeJob,
  FrameError,
  tapBytesOf,
  isChannelMessage,
  Transcript,
  type ChannelMessage,
  type Channels,
  type RunningJob,
  type SandboxEnd,
  type SandboxJob,
  type SandboxReason,
} from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';
import { channelsOf } from './container-channels.ts';

/** The workspace is sent before the job runs: only an engine that hangs takes this long. */
const SEND_MS_MAX = 60_000;
/** How much later than the agent we end a job ourselves: the job may have stopped its agent. */
const GRACE_MS = 3_000;
/** After the exit the agent compares files and sends the changes back; a full delta takes seconds. */
const RETURN_MS_MAX = 30_000;

export interface Ending {
  readonly ended: SandboxEnd;
  readonly reason: SandboxReason | null;
  readonly detail: string | null;
}

/** The result of a job in an attached container. `transcript` holds its output and changes. */
export interface Performance {
  readonly ending: Ending;
  readonly transcript: Transcript;
}

/**
 * Sends a job into a container and listens until it ends, by the agent, a deadline of ours, the signal, or the stream.
 * Calls `exited` once when the command is over and its effect is still on the way. Rejects only for an invalid job.
 */
export async function perform(
  container: AgentContainer,
  job: SandboxJob,
  signal: AbortSignal,
  exited: () => void,
): Promise<Performance> {
  const sent = container.presentEntries;
  const transcript = new Transcript(sent, job.limits);
  const { promise: ending, resolve: end, reject: fail } = Promise.withResolvers<Ending>();
  const closed = (error: Error | null) =>
    end(
      error instanceof FrameError
        ? { ended: 'invalid', reason: 'protocol', detail: error.message }
        : { ended: 'lost', reason: 'container', detail: error?.message ?? null },
    );
  const running: RunningJob = {
    usage: () => container.meter.read(),
    freeze: () => container.freeze(),
    thaw: () => container.thaw(),
  };
  const channels = channelsOf(container, connectionsOf(job, running), (error) => {
    channels.close();
    closed(error);
  });
  const deadline = new Deadline(() =>
    end({ ended: 'timeout', reason: 'wall', detail: 'the container did not keep to the time and was killed' }),
  );
  const abort = () => end({ ended: 'killed', reason: 'aborted', detail: null });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  deadline.set(SEND_MS_MAX);
  const { idleMs } = job.limits;
  const idle = new Deadline(() =>
    end({ ended: 'timeout', reason: 'idle', detail: `the command said nothing for ${idleMs} ms` }),
  );
  listenTo(container, job, { transcript, channels, deadline, idle, end, exited, closed });
  send(container, job, () => transcript.end !== null || signal.aborted).then(() => {
    deadline.set(job.limits.wallMs + GRACE_MS);
    if (idleMs !== undefined) idle.set(idleMs);
  }, fail);
  try {
    return { ending: await ending, transcript };
  } finally {
    channels.close();
    deadline.clear();
    idle.clear();
    signal.removeEventListener('abort', abort);
  }
}

/** The parts that messages of the agent reach. */
interface MessageHandlers {
  readonly transcript: Transcript;
  readonly channels: Channels;
  readonly deadline: Deadline;
  readonly idle: Deadline;
  readonly end: (ending: Ending) => void;
  readonly exited: () => void;
  readonly closed: (error: Error | null) => void;
}

/** Processes the agent's messages for the job. Output of the command restarts the deadline for silence. */
function listenTo(
  container: AgentContainer,
  job: SandboxJob,
  { transcript, channels, deadline, idle, end, exited, closed }: MessageHandlers,
): void {
  const { idleMs } = job.limits;
  const tapBytes = tapBytesOf(job.limits);
  container.listen({
    message(message) {
      if (isChannelMessage(message)) return receiveChannelMessage(channels, transcript, message);
      transcript.accept(message);
      const wait =
        message.type === 'stdout' || message.type === 'stderr'
          ? job.tap?.({ stream: message.type, bytes: message.bytes })
          : undefined;
      if (transcript.end) return end(transcript.end);
      // Output beyond the limit isn't sent, so from here on silence can't be detected.
      if (transcript.exit !== null || transcript.outputBytes >= tapBytes) idle.clear();
      else if (idleMs !== undefined) idle.set(idleMs);
      if (wait !== undefined) container.pauseFor(wait, () => idleMs !== undefined && idle.set(idleMs));
      // While reading is paused, there is no silence.
      if (container.isWaiting) idle.rest();
      if (message.type !== 'exit') return;
      deadline.set(RETURN_MS_MAX);
      exited();
    },
    closed,
  });
}

/** Connections end with the command: later messages on one can't come from the agent. */
function receiveChannelMessage(channels: Channels, { exit }: Transcript, message: ChannelMessage): void {
  if (exit !== null) throw new FrameError('a channel is spoken on after the exit');
  channels.receive(message);
}

async function send(container: AgentContainer, job: SandboxJob, isOver: () => boolean): Promise<void> {
  for await (const parts of encodeJob(job, container.presentEntries)) {
    if (isOver()) return;
    await container.send(parts);
  }
}

/** One timer that is restarted along with the job. */
class Deadline {
  readonly #expire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(expire: () => void) {
    this.#expire = expire;
  }

  set(ms: number): void {
    clearTimeout(this.#timer);
    // Bytes that are still being sent when the job has ended restart nothing.
    if (!this.#over) this.#timer = setTimeout(this.#expire, ms);
  }

  /** Stops the timer until it is set again. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  clear(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }
}
