// SPDX-License-Identifier: Apache-2.0
import { PROCESSES, type Process } from '@writ/contract';
import { allPermissions, type Permissions } from './permissions.ts';

export interface NatsServerSettings {
  readonly host: string;
  readonly port: number;
  /** Directory of JetStream's files. */
  readonly storeDir: string;
  /** Password of each process's user. The user is called like the process. */
  readonly users: Readonly<Record<Process, string>>;
  readonly serverName: string;
  readonly shard: string;
  /** Where the server writes its process id, if anywhere. */
  readonly pidFile?: string;
  /** PEM files. Needed unless the host is loopback. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile?: string };
}

/** Also keeps a password from being read as a bcrypt hash or as a variable of the file. */
const passwordPattern = /^[A-Za-z0-9_-]{16,128}$/;
/**
 * A client that answers two pings with nothing is let go within 15 s, as our clients let a silent server go. Left to
 * itself the server takes minutes, and as long a process that is frozen or cut off gets its share of the requests,
 * which nobody answers.
 */
const PINGS = ['ping_interval: "5s"', 'ping_max: 2'];
const loopbackHosts = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * Writes the configuration of a shard's nats-server. The text holds passwords: its file MUST be readable by the server
 * only.
 * @throws Error for a password that isn't 16 to 128 of `[A-Za-z0-9_-]`, and for a host beyond loopback without TLS.
 */
export function natsServerConfig(settings: NatsServerSettings): string {
  if (settings.tls === undefined && !loopbackHosts.has(settings.host))
    throw new Error(`\`${settings.host}\` is not loopback, so the server needs \`tls\``);
  const permissions = allPermissions(settings.shard);
  const users = PROCESSES.map((process) => userBlock(process, settings.users[process], permissions[process]));
  return [
    `server_name: ${quote(settings.serverName)}`,
    `host: ${quote(settings.host)}`,
    `port: ${settings.port}`,
    ...(settings.pidFile === undefined ? [] : [`pid_file: ${quote(settings.pidFile)}`]),
    ...tlsBlock(settings.tls),
    // The bus refuses larger payloads before they are sent; both sides must agree.
    'max_payload: 1048576',
    ...PINGS,
    'jetstream {',
    `  store_dir: ${quote(settings.storeDir)}`,
    // Lanes live in files; memory streams aren't used.
    '  max_memory_store: 16777216',
    '  max_file_store: 268435456',
    '}',
    'accounts {',
    '  WRIT {',
    '    jetstream: enabled',
    '    users: [',
    ...users,
    '    ]',
    '  }',
    '}',
    '',
  ].join('\n');
}

function userBlock(process: Process, password: string, { publish, subscribe, mayRespond }: Permissions): string {
  if (!passwordPattern.test(password))
    throw new Error(`the password of \`${process}\` must be 16 to 128 of \`A-Za-z0-9_-\``);
  return [
    `      { user: ${quote(process)}, password: ${quote(password)}, permissions: {`,
    `        publish: { allow: ${list(publish)} }`,
    `        subscribe: { allow: ${list(subscribe)} }`,
    // One answer to a request, and none to one that is older than any deadline of ours (a long poll: 60 s).
    ...(mayRespond ? ['        allow_responses: { max: 1, expires: "2m" }'] : []),
    '      } }',
  ].join('\n');
}

function tlsBlock(tls: NatsServerSettings['tls']): string[] {
  if (tls === undefined) return [];
  const ca = tls.caFile === undefined ? [] : [`  ca_file: ${quote(tls.caFile)}`];
  return ['tls {', `  cert_file: ${quote(tls.certFile)}`, `  key_file: ${quote(tls.keyFile)}`, ...ca, '}'];
}

function list(subjects: readonly string[]): string {
  return `[\n${subjects.map((subject) => `          ${quote(subject)}`).join('\n')}\n        ]`;
}

/** The file's strings take JSON's escapes for what can occur here; anything else is refused. */
function quote(text: string): string {
  if (/[^\x20-\x7e]/.test(text))
    throw new Error(`\`${JSON.stringify(text)}\` has characters that the configuration can't hold`);
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
