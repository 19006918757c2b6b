// SPDX-License-Identifier: Apache-2.0
// A server on loopback that speaks SMTP (RFC 5321) with STARTTLS, implicit TLS and AUTH PLAIN.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export interface FakeMail {
  readonly from: string;
  readonly to: readonly string[];
  /** the headers, unfolded, and the parts of the body by their types, decoded */
  readonly headers: string;
  readonly parts: Readonly<Record<string, string>>;
}
export type SmtpMisbehaviour = 'refuse' | 'pause' | 'silent' | 'malformed' | 'long';

export interface FakeSmtpOptions {
  readonly tls: 'implicit' | 'starttls' | 'none';
  /** PEM */
  readonly certificate?: { readonly key: string; readonly cert: string };
  readonly account?: { readonly user: string; readonly password: string };
}

/** Opens it. Where it has an account, it takes mails from that one alone. */
export async function openFakeSmtp(options: FakeSmtpOptions) {
  const mails: FakeMail[] = [];
  const misbehaviours: SmtpMisbehaviour[] = [];
  /** every command, in the clear or not */
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    const odd = misbehaviours.shift() ?? null;
    const at = options.tls === 'implicit' ? secured(socket, options) : socket;
    if (odd !== 'silent') new Conversation({ options, mails, commands, odd }).begin(at);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ mails, misbehaviours, commands, port },
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
export type FakeSmtp = Awaited<ReturnType<typeof openFakeSmtp>>;

const secured = (socket: Socket, { certificate }: FakeSmtpOptions): TLSSocket =>
  new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => undefined);

interface Given {
  readonly options: FakeSmtpOptions;
  readonly mails: FakeMail[];
  readonly commands: string[];
  readonly odd: SmtpMisbehaviour | null;
}

class Conversation {
  readonly #given: Given;
  #socket!: Socket;
  #rest = '';
  #isSecure: boolean;
  #isKnown = false;
  #from = '';
  #to: string[] = [];
  #isData = false;

  constructor(given: Given) {
    this.#given = given;
    this.#isSecure = given.options.tls === 'implicit';
  }

  begin(socket: Socket): void {
    this.#listen(socket);
    this.#say(this.#given.odd === 'malformed' ? 'this is no greeting' : '220 mail.example ESMTP');
  }

  #listen(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', (data) => this.#read(data.toString('latin1')));
  }

  #say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  #read(data: string): void {
    this.#rest += data;
    for (;;) {
      const end = this.#isData ? '\r\n.\r\n' : '\r\n';
      const at = this.#rest.indexOf(end);
      if (at < 0) return;
      const text = this.#rest.slice(0, at);
      this.#rest = this.#rest.slice(at + end.length);
      if (this.#isData) this.#take(text);
      else this.#answer(text);
    }
  }

  #take(text: string): void {
    this.#isData = false;
    if (this.#given.odd === 'long') return void this.#socket.write('x'.repeat(300_000));
    this.#given.mails.push({ from: this.#from, to: this.#to, ...parsedMail(text.replaceAll('\r\n..', '\r\n.')) });
    this.#to = [];
    this.#say('250 2.0.0 queued');
  }

  #answer(line: string): void {
    const { options, commands, odd } = this.#given;
    commands.push(line);
    const [verb = '', argument = ''] = /^(\w+) ?(.*)$/.exec(line)?.slice(1) ?? [];
    const address = /<([^>]*)>/.exec(argument)?.[1] ?? '';
    if (verb === 'EHLO') return this.#greet();
    if (verb === 'STARTTLS' && options.tls === 'starttls' && !this.#isSecure) return this.#secure();
    if (verb === 'AUTH') return this.#login(argument);
    if (verb === 'QUIT') return void this.#socket.end('221 bye\r\n');
    if (options.account !== undefined && !this.#isKnown) return this.#say('530 5.7.0 sign in first');
    if (verb === 'MAIL') {
      this.#from = address;
      return this.#say(odd === 'pause' ? '451 4.7.1 later' : '250 2.1.0 ok');
    }
    if (verb === 'RCPT') {
      if (odd === 'refuse') return this.#say('550 5.1.1 nobody');
      this.#to.push(address);
      return this.#say('250 2.1.5 ok');
    }
    if (verb !== 'DATA') return this.#say('502 5.5.1 what');
    this.#isData = true;
    this.#say('354 go on');
  }

  #greet(): void {
    const { tls, account } = this.#given.options;
    const extensions = ['mail.example'];
    if (tls === 'starttls' && !this.#isSecure) extensions.push('STARTTLS');
    if (account !== undefined) extensions.push('AUTH PLAIN');
    extensions.forEach((each, n) => this.#say(`250${n === extensions.length - 1 ? ' ' : '-'}${each}`));
  }

  #secure(): void {
    this.#say('220 go ahead');
    this.#socket.removeAllListeners('data');
    this.#isSecure = true;
    this.#listen(secured(this.#socket, this.#given.options));
  }

  #login(argument: string): void {
    const { account } = this.#given.options;
    const [, user, password] = Buffer.from(argument.replace('PLAIN ', ''), 'base64').toString().split('\0');
    this.#isKnown = account !== undefined && user === account.user && password === account.password;
    // As a careless server does, it repeats what it got.
    this.#say(this.#isKnown ? '235 2.7.0 ok' : `535 5.7.8 wrong password ${password ?? ''}`);
  }
}

/** A mail with parts in quoted-printable, or a single one. */
function parsedMail(text: string): Pick<FakeMail, 'headers' | 'parts'> {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? '';
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`).slice(1, -1);
  return { headers, parts: Object.fromEntries(parts.map(partOf)) };
}

function partOf(text: string): [type: string, content: string] {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const octets = rest
    .join('\r\n\r\n')
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return [/Content-Type: ([a-z/]+)/.exec(head)?.[1] ?? '', Buffer.from(octets, 'latin1').toString('utf8')];
}
