// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { outsideTls } from '@writ/testing';

/** The answers to a command, by its name: `UID SEARCH`. Each gets the tag of the command, and its line. */
export type MailAnswers = Readonly<Record<string, (tag: string, line: string) => string>>;

/** A server of IMAP with one folder, which answers as a test says. */
export class MailServer {
  readonly port: number;
  answers: MailAnswers = {};
  readonly #server: ReturnType<typeof createServer>;

  static async open(): Promise<MailServer> {
    const { key, cert } = outsideTls();
    const server = createServer({ key, cert });
    // Of a client that breaks off the handshake.
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MailServer(server);
  }

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('secureConnection', (socket) => this.#serve(socket));
  }

  close(): void {
    this.#server.close();
  }

  #serve(socket: TLSSocket): void {
    let rest = '';
    socket.on('error', () => undefined);
    socket.write('* OK [CAPABILITY IMAP4rev1 UIDPLUS SPECIAL-USE] ready\r\n');
    socket.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) socket.write(this.#answer(line));
    });
  }

  #answer(line: string): string {
    const [tag = '', first = '', second = ''] = line.split(' ');
    const command = first === 'UID' ? `UID ${second}` : first;
    const own = this.answers[command];
    if (own !== undefined) return own(tag, line);
    const done = `${tag} OK done\r\n`;
    if (command === 'LIST') return `* LIST (\\Drafts) "/" "Drafts"\r\n${done}`;
    if (command === 'EXAMINE') return `* 1 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 12] ok\r\n${done}`;
    return command === 'UID SEARCH' ? `* SEARCH\r\n${done}` : done;
  }
}
