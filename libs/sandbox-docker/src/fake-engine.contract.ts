// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { encodeAgentMessage, type AgentMessage } from '@writ/sandbox';

/** The engine's framing of a container's output. */
export function framed(bytes: Uint8Array, kind: 1 | 2 = 1): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

export const said = (...messages: AgentMessage[]): Buffer => Buffer.concat(messages.map(encodeAgentMessage));

/**
 * An engine whose containers send hello and then, once a job arrives, the test's bytes. Where `reads` is false, they
 * read the start of the job and nothing after it.
 */
export function fakeEngine(afterJob: (stream: Duplex) => void, reads = true): { docker: Docker; removed: string[] } {
  const removed: string[] = [];
  let made = 0;
  const createContainer = async () => {
    const id = `container-${++made}`;
    let spoken = false;
    const stream = new Duplex({
      read: () => undefined,
      write(_chunk, _encoding, done) {
        if (!spoken) setImmediate(() => afterJob(stream));
        if (reads || !spoken) done();
        spoken = true;
      },
    });
    return {
      id,
      attach: async () => stream,
      start: async () => void stream.push(framed(said({ type: 'hello', agent: 'fake' }))),
      inspect: async () => ({ Id: id, State: { Pid: 0 } }),
      stats: async () => ({ cpu_stats: { cpu_usage: { total_usage: 5e6 } }, memory_stats: { usage: 7 } }),
      remove: async () => void removed.push(id),
    };
  };
  const docker = {
    createContainer,
    getEvents: async () => new Duplex({ read: () => undefined, write: (_c, _e, done) => done() }),
    listContainers: async () => [],
    ping: async () => 'OK',
  };
  return { docker: docker as unknown as Docker, removed };
}
