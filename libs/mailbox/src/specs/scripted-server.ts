// SPDX-License-Identifier: Apache-2.0
import { duplexPair, type Duplex } from 'node:stream';
import type { MailboxSettings } from '@writ/contract';

export const SETTINGS: MailboxSettings = {
  host: 'mail.example.org',
  port: 993,
  tls: 'implicit',
  username: 'ada',
  secret: 'MAIL_PASSWORD',
  address: 'ada@example.org',
};
export const PASSWORD = 'correct horse battery';

/** The answer to one line of the client, with its line breaks; undefined: none. */
export type Script = (command: string, tag: string, line: string) => string | Uint8Array | undefined;

export interface ScriptedServer {
  /** The client's end. */
  readonly connection: Duplex;
  readonly server: Duplex;
  /** What the client sent, line for line. */
  readonly lines: readonly string[];
}

/** A server that greets, and then answers each line by a script. It opens no socket. */
export function scriptedServer(greeting: string | Uint8Array, script: Script): ScriptedServer {
  const [connection, server] = duplexPair();
  const lines: string[] = [];
  let rest = '';
  server.on('error', () => undefined);
  server.on('data', (bytes: Buffer) => {
    rest += bytes.toString('latin1');
    for (let at = rest.indexOf('\r\n'); at >= 0; at = rest.indexOf('\r\n')) {
      const line = rest.slice(0, at);
      rest = rest.slice(at + 2);
      lines.push(line);
      const [tag = '', ...words] = line.split(' ');
      const reply = script(words.slice(0, words[0] === 'UID' ? 2 : 1).join(' '), tag, line);
      if (reply !== undefined && !server.destroyed) server.write(reply);
    }
  });
  server.write(greeting);
  return { connection, server, lines };
}

export const GREETING = '* OK [CAPABILITY IMAP4rev1 LITERAL+ UIDPLUS SPECIAL-USE] ready\r\n';

/** A server that has a folder of drafts and does what it is asked, but for the commands that are overridden. */
export function obligingScript(overridden: Readonly<Record<string, Script>> = {}): Script {
  return (command, tag, line) => {
    const own = line.endsWith('LIST "" ""') ? undefined : overridden[command];
    if (own !== undefined) return own(command, tag, line);
    const done = `${tag} OK done\r\n`;
    if (command === 'LOGIN' || command === 'CAPABILITY')
      return `* CAPABILITY IMAP4rev1 LITERAL+ UIDPLUS SPECIAL-USE\r\n${done}`;
    // What asks for the separator alone (RFC 3501, section 6.3.8).
    if (line.endsWith('LIST "" ""')) return `* LIST (\\Noselect) "/" ""\r\n${done}`;
    if (command === 'LIST') return `* LIST (\\HasNoChildren \\Drafts) "/" "Entwurf"\r\n${done}`;
    if (command === 'EXAMINE') return `* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 9] ok\r\n${done}`;
    if (command === 'UID SEARCH') return `* SEARCH 2 5\r\n${done}`;
    if (command === 'UID FETCH') return done;
    if (command === 'LOGOUT') return `* BYE bye\r\n${done}`;
    // A line of the message that is appended.
    return /^[A-Z0-9]+ [A-Z]+/.test(line) && command !== 'APPEND' ? done : undefined;
  };
}
