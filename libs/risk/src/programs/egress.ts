// SPDX-License-Identifier: Apache-2.0
import { field, isExact, type Field, type Source } from '../shell/field.ts';
import { parseOptions, type Options } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import type { Zone } from '../zones.ts';
import { noteRead } from './secrets.ts';
import { holdsSecret, isSecretFile } from './secret-names.ts';
import { sentFile } from './sent-file.ts';

/*
 * Data that leaves for another machine. A secret may be sent as the credential of the request itself, as in
 * `Authorization`, but not as its content.
 */

const LOCAL =
  /^(?:\w+:\/\/)?(?:[^@/]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|[\w.-]+\.localhost)(?:[:/?#]|$)/;
export const isLocal = (target: string): boolean => LOCAL.test(target);

/** Headers for credentials. */
const KEY_HEADER =
  /^(?:proxy-)?(?:authorization|cookie|api-?key|private-token|job-token|x-[\w-]*(?:key|token|auth|secret)[\w-]*):/i;

/** Programs that send their input or their arguments. */
const SENDERS = new Set([
  'nc',
  'ncat',
  'netcat',
  'telnet',
  'socat',
  'ssh',
  'sftp',
  'ftp',
  'lftp',
  'mail',
  'mailx',
  'mutt',
  'sendmail',
  'dig',
  'nslookup',
  'host',
  'ping',
  'openssl',
  'http',
  'https',
  'xh',
  'xhs',
  'curlie',
  'wget',
  'curl',
  'aws',
  'gsutil',
  'rclone',
  's3cmd',
  'gh',
  'scp',
  'rsync',
  'croc',
  'wormhole',
]);
/** Those of them whose operands are files to send. */
const COPIERS = new Set([
  'scp',
  'rsync',
  'sftp',
  'ftp',
  'lftp',
  'aws',
  'gsutil',
  'rclone',
  's3cmd',
  'croc',
  'wormhole',
  'gh',
]);
/** A path of another machine. */
const REMOTE_PATH = /^(?:[\w.@-]+:(?!\/\/)|\w+:\/\/)/;
/** Words with which one of them only stores a credential locally, or looks something up. */
const KEEPS: Readonly<Record<string, RegExp>> = { gh: /^(?!gist)/, aws: /^(?!s3|s3api)/, openssl: /^(?!s_client)/ };

/** Notes that the program communicates with another machine, and the secrets that it would send there. */
export function noteEgress({ name, args, stdin }: Invocation, shell: Shell): void {
  if (!SENDERS.has(name) || args.some(({ text }) => isLocal(text))) return;
  if (Object.hasOwn(KEEPS, name) && KEEPS[name]?.test(args.find(({ text }) => !text.startsWith('-'))?.text ?? ''))
    return;
  const { operands } = parseOptions(args, ['-i', '-P', '-p', '-e', '-o', '-F', '-J', '-l', '-c']);
  shell.act('network', name, operands.map(({ text }) => text).join(' '));
  // The reading of their options separates data from credentials.
  if (name === 'curl' || name === 'wget') return;
  const files = COPIERS.has(name)
    ? operands.filter(
        ({ text }, index) =>
          (operands.length === 1 || index < operands.length - 1 || name === 'gh') &&
          !REMOTE_PATH.test(text) &&
          (isSecretFile(text) || madeOfSecrets(field(text), shell)),
      )
    : [];
  if (stdin.kind === 'secret' || files.length > 0 || operands.some(holdsSecret))
    shell.act('secret_egress', name, files[0]?.text ?? operands[0]?.text ?? name);
}

const DATA = [
  '-d',
  '--data',
  '--data-binary',
  '--data-raw',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '-F',
  '--form',
  '--form-string',
  '-T',
  '--upload-file',
  '--post-file',
  '--post-data',
  '--body-file',
  '--body-data',
  '--url-query',
  '--url',
];
const FILES = new Set(['-T', '--upload-file', '--post-file', '--body-file']);

/** Notes the content of a request of `curl` or `wget`. */
export function noteRequest(form: string, options: Options, stdin: Source, shell: Shell): void {
  const carried = DATA.flatMap((flag) => (options.allValues.get(flag) ?? []).map((value) => carriedBy(flag, value)));
  for (const { file } of carried) if (file) noteRead(form, [file], shell);
  for (const { file } of local(options) ? [] : carried) if (file) noteSentFile(form, file, shell);
  const targets = [...options.operands, ...(options.allValues.get('--url') ?? [])];
  if (targets.length > 0 && targets.every(({ text }) => isLocal(text))) return;
  const headers = [...(options.allValues.get('-H') ?? []), ...(options.allValues.get('--header') ?? [])].filter(
    ({ text }) => !KEY_HEADER.test(text),
  );
  const leaks = carried.some(
    ({ file, text }) =>
      holdsSecret(text) ||
      (file && isSecretFile(file.text)) ||
      (file?.text === '-' && stdin.kind === 'secret') ||
      (file && madeOfSecrets(file, shell)),
  );
  if (leaks || [...targets, ...headers].some(holdsSecret)) shell.act('secret_egress', form, targets[0]?.text ?? form);
}

const local = (options: Options): boolean => {
  const targets = [...options.operands, ...(options.allValues.get('--url') ?? [])];
  return targets.length > 0 && targets.every(({ text }) => isLocal(text));
};

const OWN: ReadonlySet<Zone> = new Set([
  'inside',
  'regenerable',
  'scratch',
  'temporary',
  'sink',
  'history',
  'workspace',
]);
/** Notes a file that is sent to another machine: a secret, or one outside of the workspace. */
export function noteSentFile(form: string, file: Field, shell: Shell): void {
  if (file.text === '-') return;
  if (isSecretFile(file.text) || madeOfSecrets(file, shell)) shell.act('secret_egress', form, file.text);
  else if (isExact(file.text) && shell.zones(file).some((zone) => !OWN.has(zone) && zone !== 'unknown'))
    shell.act('file_egress', form, file.text);
}

/** A file that the command itself made from secrets. */
function madeOfSecrets(file: Field, shell: Shell): boolean {
  const path = shell.path(file);
  return path !== undefined && shell.scope.files.get(path)?.kind === 'secret';
}

function carriedBy(flag: string, value: Field): { readonly file?: Field; readonly text: Field } {
  const file = FILES.has(flag) ? value.text : sentFile(value.text);
  return { ...(file === undefined ? {} : { file: field(file, value.glob) }), text: value };
}

/** Words in an address with which services delete, although the method doesn't show it. */
const ENDPOINT =
  /\/_?(?:delete|destroy|drop|purge|terminate|wipe|truncate|flush|delete_by_query|delete-all|deleteAll|bulk-delete|bulkDelete)(?:[/?#]|$)/i;

/** Notes a request that changes something at an address whose words mean a deletion. */
export function noteNamedEndpoint(form: string, options: Options, shell: Shell): void {
  const target = options.operands.find(({ text }) => ENDPOINT.test(text) && !isLocal(text));
  if (target) shell.act('remote_loss', form, target.text);
}
