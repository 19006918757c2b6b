// SPDX-License-Identifier: Apache-2.0
import {
  Channels,
  CHANNELS_MAX,
  encodeHostMessage,
  encodeJob,
  FrameError,
  heardBytesOf,
  isChannelMessage,
  Transcript,
  WINDOW_BYTES,
  type ChannelMessage,
  type SandboxEnd,
  type SandboxJob,
  type SandboxReason,
} from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';

/** The workspace goes in before the job runs: only an engine that hangs takes this long. */
const SEND_MS_MAX = 60_000;
/** How much later than the agent we give up on a job by ourselves: the agent may have been stopped by it. */
const GRACE_MS = 3_000;
/** After the exit the agent compares and sends back; a full delta takes seconds. */
const RETURN_MS_MAX = 30_000;

export interface Ending {
  readonly ended: SandboxEnd;
  readonly reason: SandboxReason | null;
  readonly detail: string | null;
}

/** What an attached container made of a job. `transcript` holds its output and changes. */
export interface Performance {
  readonly ending: Ending;
  readonly transcript: Transcript;
}

/**
 * Sends a job into a container and listens until it has ended, whoever ends it: the agent, a deadline of ours, the
 * signal, or the stream. Calls `exited` once when the command is over and its effect is still on the way. Rejects only
 * for an invalid job.
 */
export async function perform(
  container: AgentContainer,
  job: SandboxJob,
  signal: AbortSignal,
  exited: () => void,
): Promise<Performance> {
  const sent = container.standing;
  const transcript = new Transcript(sent, job.limits);
  const { promise: ending, resolve: end, reject: fail } = Promise.withResolvers<Ending>();
  const closed = (error: Error | null) =>
    end(
      error instanceof FrameError
        ? { ended: 'invalid', reason: 'protocol', detail: error.message }
        : { ended: 'lost', reason: 'container', detail: error?.message ?? null },
    );
  const channels = channelsOf(container, job, (error) => {
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

/** What messages of the agent are given to, and what they move. */
interface Listening {
  readonly transcript: Transcript;
  readonly channels: Channels;
  readonly deadline: Deadline;
  readonly idle: Deadline;
  readonly end: (ending: Ending) => void;
  readonly exited: () => void;
  readonly closed: (error: Error | null) => void;
}

/** Follows the job by what its agent sends. What the command says puts off the end for want of output. */
function listenTo(
  container: AgentContainer,
  job: SandboxJob,
  { transcript, channels, deadline, idle, end, exited, closed }: Listening,
): void {
  const { idleMs } = job.limits;
  const heardBytes = heardBytesOf(job.limits);
  container.listen({
    message(message) {
      if (isChannelMessage(message)) return takeChannel(channels, transcript, message);
      transcript.accept(message);
      const wait =
        message.type === 'stdout' || message.type === 'stderr'
          ? job.tap?.({ stream: message.type, bytes: message.bytes })
          : undefined;
      if (transcript.end) return end(transcript.end);
      // Output that is cut doesn't come, so nobody can tell from here whether there is any.
      if (transcript.exit !== null || transcript.outputBytes >= heardBytes) idle.clear();
      else if (idleMs !== undefined) idle.set(idleMs);
      if (wait !== undefined) container.waitFor(wait, () => idleMs !== undefined && idle.set(idleMs));
      // What isn't read can't be called silence.
      if (container.isWaiting) idle.rest();
      if (message.type !== 'exit') return;
      deadline.set(RETURN_MS_MAX);
      exited();
    },
    closed,
  });
}

/**
 * Every window at once, and as much again for the frames around small pieces: an agent that reads never has so much
 * before it.
 */
const WAITING_BYTES_MAX = 2 * CHANNELS_MAX * WINDOW_BYTES;

/**
 * The connections of the job to its proxy. None sends more than its window holds, so that what waits for the stream
 * stays small; where a job forges the room that its stopped agent can't give, what waits ends it.
 */
function channelsOf(container: AgentContainer, { egress }: SandboxJob, broken: (error: FrameError) => void): Channels {
  const send = (message: ChannelMessage): void => {
    if (message.type === 'net_open') return;
    container.post(encodeHostMessage(message));
    if (container.waitingBytes > WAITING_BYTES_MAX) broken(new FrameError('the agent asks for more than it reads'));
  };
  return new Channels(egress === undefined ? { send } : { send, opened: (connection) => egress.serve(connection) });
}

/** Connections end with the command: whoever speaks on one after that isn't the agent. */
function takeChannel(channels: Channels, { exit }: Transcript, message: ChannelMessage): void {
  if (exit !== null) throw new FrameError('a channel is spoken on after the exit');
  channels.take(message);
}

async function send(container: AgentContainer, job: SandboxJob, isOver: () => boolean): Promise<void> {
  for await (const parts of encodeJob(job, container.standing)) {
    if (isOver()) return;
    await container.send(parts);
  }
}

/** One timer that is moved along with the job. */
class Deadline {
  readonly #expire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(expire: () => void) {
    this.#expire = expire;
  }

  set(ms: number): void {
    clearTimeout(this.#timer);
    // What is still being sent when the job has ended sets nothing any more.
    if (!this.#over) this.#timer = setTimeout(this.#expire, ms);
  }

  /** Doesn't expire until it is set again. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  clear(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }
}
