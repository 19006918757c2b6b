// SPDX-License-Identifier: Apache-2.0
import {
  Channels,
  CHANNELS_MAX,
  encodeHostMessage,
  FrameError,
  WINDOW_BYTES,
  type ChannelMessage,
  type SandboxEgress,
} from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';

/** All windows, and as much again for the frames around small pieces: an agent that reads never has more waiting. */
const WAITING_BYTES_MAX = 2 * CHANNELS_MAX * WINDOW_BYTES;

/**
 * The connections of a container to its proxy, for one job or one turn of a shell. None sends more than its window
 * holds, so few bytes wait for the stream. Where a job forges window space that its stopped agent can't give, the limit
 * on waiting bytes ends it, through `broken`. The caller closes them when the job or the turn is over.
 * @param egress absent: the container has no proxy, and a connection breaks the protocol
 */
export function channelsOf(
  container: AgentContainer,
  egress: SandboxEgress | undefined,
  broken: (error: FrameError) => void,
): Channels {
  const send = (message: ChannelMessage): void => {
    if (message.type === 'net_open') return;
    container.post(encodeHostMessage(message));
    if (container.waitingBytes > WAITING_BYTES_MAX) broken(new FrameError('the agent asks for more than it reads'));
  };
  return new Channels(egress === undefined ? { send } : { send, opened: (connection) => egress.serve(connection) });
}
