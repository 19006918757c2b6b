// SPDX-License-Identifier: Apache-2.0
import { PROCESSES, type Process } from '@writ/contract';
import { allPermissions, type Permissions } from './permissions.ts';

export interface NatsServerSettings {
  readonly host: string;
  readonly port: number;
  /** Directory of JetStream's files. */
  readonly storeDir: string;
  /** Password of each process's user. The user has the name of the process. */
  readonly users: Readonly<Record<Process, string>>;
  readonly serverName: string;
  readonly shard: string;
  /** File for the server's process id, if any. */
  readonly pidFile?: string;
  /** PEM files. Needed unless the host is loopback. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile?: string };
}

/** Also prevents that the server reads a password as a bcrypt hash or as a variable of the file. */
const passwordPattern = /^[A-Za-z0-9_-]{16,128}$/;
/**
 * The server drops a client that leaves two pings unanswered within 15 s, as our clients drop a silent server. With the
 * server's defaults this takes minutes; as long, a frozen or disconnected process would receive its share of the
 * requests and answer none.
 */
const PING_SETTINGS = ['ping_interval: "5s"', 'ping_max: 2'];
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
    // The bus refuses larger payloads before it sends them; both sides must agree.
    'max_payload: 1048576',
    ...PING_SETTINGS,
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
    // One answer per request, and none to a request that is older than any of our deadlines (a long poll: 60 s).
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

/** JSON's escapes are valid for the characters that can occur in the file; other characters are refused. */
function quote(text: string): string {
  if (/[^\x20-\x7e]/.test(text))
    throw new Error(`\`${JSON.stringify(text)}\` has characters that the configuration can't hold`);
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
