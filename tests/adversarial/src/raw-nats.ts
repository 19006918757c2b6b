// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Process } from '@writ/contract';
import { passwordOf, type JsonValue } from '@writ/stack';

/** How long the server takes at most to say what it thinks of a line; a PONG says that it has. */
const PONG_MS = 5_000;

/** Speaks the protocol of NATS by hand: no client library keeps it from saying what it shouldn't. */
export class RawNats {
  readonly #socket: Socket;
  readonly #user: Process;
  #heard = Buffer.alloc(0);
  #inboxes = 0;

  private constructor(socket: Socket, user: Process) {
    this.#socket = socket;
    this.#user = user;
    socket.on('data', (bytes: Buffer) => {
      this.#heard = Buffer.concat([this.#heard, bytes]);
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

  /** Publishes; resolves with what the server says to it. */
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

  /** A request with these bytes; resolves with the answer as JSON, or null where none comes. */
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
    this.#heard = Buffer.alloc(0);
    this.#socket.write(
      Buffer.concat([
        Buffer.from(`HPUB ${subject} ${inbox} ${head.length} ${head.length + bytes.length}\r\n`),
        head,
        bytes,
        Buffer.from('\r\n'),
      ]),
    );
    const answered = new RegExp(`(?:MSG ${inbox.replaceAll('.', '\\.')} 1 \\d+\\r\\n)(.*)\\r\\n`, 's');
    const text = await this.#until((heard) => answered.test(heard));
    const [, answer] = answered.exec(text) ?? [];
    return answer === undefined ? null : (JSON.parse(answer) as JsonValue);
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }

  /** A round trip; what the server said on the way. */
  async #flushed(): Promise<string> {
    this.#heard = Buffer.alloc(0);
    this.#socket.write('PING\r\n');
    return await this.#until((heard) => heard.includes('PONG\r\n'));
  }

  async #until(isEnough: (heard: string) => boolean): Promise<string> {
    const until = Date.now() + PONG_MS;
    while (!isEnough(this.#heard.toString('utf8'))) {
      if (Date.now() > until) throw new Error(`the server said only: ${this.#heard.toString('utf8').slice(0, 500)}`);
      await Promise.race([
        once(this.#socket, 'data'),
        new Promise((resolve) => {
          setTimeout(resolve, 100);
        }),
      ]);
    }
    return this.#heard.toString('utf8');
  }
}
