// SPDX-License-Identifier: Apache-2.0
//
// Dovecot on loopback, with the mail of one person in a folder of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** Whose mail it is on disk: Debian's `nobody`. Dovecot serves none of root's. */
const OWNER = 65_534;
export const MAIL_USER = 'ada';
export const MAIL_PASSWORD = 'correct horse battery staple';

export interface MailServer {
  /** The port of IMAP with STARTTLS. */
  readonly plainPort: number;
  /** The port of IMAP over TLS. */
  readonly tlsPort: number;
  /** Puts a message into the inbox, received then and not yet read. */
  deliver(message: string | Buffer, received: Date): void;
  /** The names of the files of a folder, with the flags of each message in them: `1:2,S`. */
  files(folder: string): readonly string[];
  /** The folder of the mail. */
  readonly mailDir: string;
  stop(): Promise<void>;
}

/** The configuration of Dovecot 2.3. */
const configuration = (dir: string, plainPort: number, tlsPort: number): string => `
base_dir = ${dir}/run
state_dir = ${dir}/state
log_path = ${dir}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${dir}/cert.pem
ssl_key = <${dir}/key.pem
disable_plaintext_auth = yes
mail_location = maildir:${dir}/mail
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${dir}/users
}
userdb {
  driver = static
  args = uid=${OWNER} gid=${OWNER} home=${dir}/home
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Entwürfe {
    auto = create
    special_use = \\Drafts
  }
  mailbox Other {
    auto = create
  }
}
service imap-login {
  inet_listener imap {
    port = ${plainPort}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
`;

/** Starts Dovecot, and resolves when it listens. Needs root: it serves mail as somebody else. */
export async function startMailServer(
  program: string,
  certificate: { cert: string; key: string },
): Promise<MailServer> {
  const dir = mkdtempSync(join(tmpdir(), 'mail-server-'));
  chmodSync(dir, 0o755);
  for (const folder of ['mail', 'mail/cur', 'mail/new', 'mail/tmp', 'home']) {
    mkdirSync(join(dir, folder));
    chownSync(join(dir, folder), OWNER, OWNER);
  }
  const [plainPort, tlsPort] = [await freePort(), await freePort()];
  writeFileSync(join(dir, 'cert.pem'), certificate.cert);
  writeFileSync(join(dir, 'key.pem'), certificate.key, { mode: 0o600 });
  writeFileSync(join(dir, 'users'), `${MAIL_USER}:{PLAIN}${MAIL_PASSWORD}\n`);
  writeFileSync(join(dir, 'dovecot.conf'), configuration(dir, plainPort, tlsPort));
  const child = spawn(program, ['-F', '-c', join(dir, 'dovecot.conf')], { stdio: 'inherit' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await Promise.all([plainPort, tlsPort].map((port) => listens(port, child)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { plainPort, tlsPort, mailDir: join(dir, 'mail'), stop, deliver: delivery(dir), files: filesOf(dir) };
}

function delivery(dir: string): MailServer['deliver'] {
  let count = 0;
  return (message, received) => {
    const file = join(dir, 'mail', 'cur', `${(count += 1)}.M1.host:2,`);
    writeFileSync(file, message);
    chownSync(file, OWNER, OWNER);
    utimesSync(file, received, received);
  };
}

const filesOf =
  (dir: string): MailServer['files'] =>
  (folder) => {
    const path = join(dir, 'mail', folder === 'INBOX' ? '' : `.${folder}`);
    // Dovecot makes a folder on its first use.
    return existsSync(path) ? ['cur', 'new'].flatMap((each) => readdirSync(join(path, each))) : [];
  };

const LISTEN_TRIES = 200;

async function listens(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < LISTEN_TRIES && child.exitCode === null; tries += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port }, () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('Dovecot does not listen');
}
