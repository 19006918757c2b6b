// SPDX-License-Identifier: Apache-2.0
// A server on loopback that takes mails by SMTP (RFC 5321) from one account, without TLS.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface SmtpReceiver {
  /** the mails with their headers, decoded */
  readonly mails: string[];
  readonly port: number;
  readonly close: () => void;
}

/** Opens it. */
export async function openSmtpReceiver(user: string, password: string): Promise<SmtpReceiver> {
  const mails: string[] = [];
  const login = Buffer.from(`\0${user}\0${password}`).toString('base64');
  const server = createServer((socket) => void serve(socket, login, mails));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { mails, port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function serve(socket: Socket, login: string, mails: string[]): Promise<void> {
  socket.on('error', () => undefined);
  const say = (line: string): boolean => socket.write(`${line}\r\n`);
  say('220 mail.example');
  let mail: string[] | null = null;
  let isKnown = false;
  for await (const line of createInterface({ input: socket })) {
    if (mail === null) {
      if (line === `AUTH PLAIN ${login}`) isKnown = true;
      if (line === 'DATA' && isKnown) mail = [];
      say(answerTo(line, isKnown));
    } else if (line === '.') {
      mails.push(decoded(mail));
      mail = null;
      say('250 queued');
    } else mail.push(line);
  }
}

function answerTo(line: string, isKnown: boolean): string {
  if (line.startsWith('EHLO')) return '250-mail.example\r\n250 AUTH PLAIN';
  if (line.startsWith('AUTH')) return isKnown ? '235 ok' : '535 no';
  if (!isKnown) return '530 sign in first';
  return line === 'DATA' ? '354 go on' : '250 ok';
}

/** Unfolded headers, and quoted-printable of ASCII. */
const decoded = (lines: readonly string[]): string =>
  lines
    .join('\n')
    .replaceAll(/\n[ \t]+/g, ' ')
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
