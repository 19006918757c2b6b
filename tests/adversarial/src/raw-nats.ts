// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Process } from '@writ/contract';
import { passwordOf, type JsonValue } from '@writ/stack';

/** Longest time until the server reacts to a line; a PONG shows that it has processed all before. */
const PONG_MS = 5_000;

/** Speaks the NATS protocol directly: no client library restricts what it sends. */
export class RawNats {
  readonly #socket: Socket;
  readonly #user: Process;
  #received = Buffer.alloc(0);
  #inboxes = 0;

  private constructor(socket: Socket, user: Process) {
    this.#socket = socket;
    this.#user = user;
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      if (bytes.includes('PING\r\n')) socket.write('PONG\r\n');
    });
  }

  static async connect(port: number, user: Process): Promise<RawNats> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const raw = new RawNats(socket, user);
    socket.write(
      `CONNECT ${JSON.stringify({ verbose: false, pedantic: false, headers: true, no_responders: true, user, pass: passwordOf(user), protocol: 1 })}\r\n`,
    );
    socket.write(`SUB _INBOX_${user}.raw.> 1\r\n`);
    await raw.#flushed();
    return raw;
  }

  /** Publishes; resolves with the server's reaction. */
  async publish(subject: string, payload: string | Uint8Array, reply = ''): Promise<string> {
    const bytes = Buffer.from(payload);
    this.#socket.write(
      Buffer.concat([Buffer.from(`PUB ${subject} ${reply} ${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]),
    );
    return await this.#flushed();
  }

  async subscribe(subject: string): Promise<string> {
    this.#socket.write(`SUB ${subject} 99\r\nUNSUB 99\r\n`);
    return await this.#flushed();
  }

  /** Sends a request with these bytes; resolves with the answer as JSON, or null where none comes. */
  async request(
    subject: string,
    payload: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<JsonValue> {
    const inbox = `_INBOX_${this.#user}.raw.${++this.#inboxes}`;
    const bytes = Buffer.from(payload);
    const head = Buffer.from(
      `NATS/1.0\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    );
    this.#received = Buffer.alloc(0);
    this.#socket.write(
      Buffer.concat([
        Buffer.from(`HPUB ${subject} ${inbox} ${head.length} ${head.length + bytes.length}\r\n`),
        head,
        bytes,
        Buffer.from('\r\n'),
      ]),
    );
    const answered = (received: string): string | undefined => answerIn(received, inbox);
    const text = await this.#until((received) => answered(received) !== undefined);
    const answer = answered(text) ?? '';
    return answer === '' ? null : (JSON.parse(answer) as JsonValue);
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }

  /** A round trip; returns what the server sent meanwhile. */
  async #flushed(): Promise<string> {
    this.#received = Buffer.alloc(0);
    this.#socket.write('PING\r\n');
    return await this.#until((received) => received.includes('PONG\r\n'));
  }

  async #until(isEnough: (received: string) => boolean): Promise<string> {
    const until = Date.now() + PONG_MS;
    while (!isEnough(this.#received.toString('utf8'))) {
      if (Date.now() > until) throw new Error(`the server sent only: ${this.#received.toString('utf8').slice(0, 500)}`);
      await Promise.race([
        once(this.#socket, 'data'),
        new Promise((resolve) => {
          setTimeout(resolve, 100);
        }),
      ]);
    }
    return this.#received.toString('utf8');
  }
}

/** The payload of the message to an inbox, by the length that its line names: whatever follows it is another line. */
function answerIn(received: string, inbox: string): string | undefined {
  const line = new RegExp(`(?<kind>H?)MSG ${inbox.replaceAll('.', '\\.')} 1 (?<sizes>[\\d ]+)\\r\\n`).exec(received);
  if (line?.groups === undefined) return undefined;
  const [head = 0, whole = head] = (line.groups['sizes'] ?? '').split(' ').map(Number);
  const bytes = Buffer.from(received.slice(line.index + line[0].length));
  if (bytes.length < whole) return undefined;
  return bytes.subarray(line.groups['kind'] === 'H' ? head : 0, whole).toString();
}
