// SPDX-License-Identifier: Apache-2.0
import { isExact, SECRET, type Field } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';

/** Files that hold credentials of a person or a machine, wherever they lie outside the workspace. */
const CREDENTIALS =
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.ssh\/?|\.ssh\/(?:id_\w+|identity|\*)|\.aws\/?|\.gnupg\/?|\.aws\/credentials|\.netrc|\.npmrc|\.pypirc|\.docker\/config\.json|\.kube\/config|\.gnupg\/\S*|\.git-credentials|\.pgpass|\.vault-token|\.config\/(?:gcloud|gh)(?:\/\S*)?|shadow|gshadow|sudoers|proc\/(?:\d+|self|\*)\/environ)$/;
/** Names of files that hold secrets, in the workspace too: there they may be read, and not be sent away. */
const KEPT =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$|schema$|test$)[\w-]+)*|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|tfstate|ovpn)|id_(?:rsa|dsa|ecdsa|ed25519)|\.?credentials(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|env|txt|ini)|service-account[\w.-]*\.json|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|\.my\.cnf|\.vault-token|master\.key)$/;
/** Variables that are named after a secret. */
const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|CREDENTIALS)(?:_ID|_B64)?$/;

/**
 * Characters at the end of a path in which its name is looked for: the patterns would go over all that is before again
 * and again.
 */
const PATH_END = 512;
export const isCredential = (path: string): boolean => CREDENTIALS.test(path.slice(-PATH_END));
export const isSecretFile = (path: string): boolean =>
  KEPT.test(path.slice(-PATH_END)) || CREDENTIALS.test(path.slice(-PATH_END));
export const isSecretName = (variable: string): boolean => SECRET_NAME.test(variable);
export const holdsSecret = ({ text }: Field): boolean => text.includes(SECRET);

/** Notes the reading of a credential that lies outside the workspace. */
export function noteRead(form: string, paths: readonly Field[], shell: Shell): void {
  for (const path of paths) {
    const outside = shell.zones(path).some((zone) => zone === 'outside' || zone === 'system' || zone === 'unknown');
    if (outside && isCredential(path.text)) shell.act('credential_read', form, path.text);
  }
}

/** Programs that are given a key to use it, or a path to look at it from outside. */
const USES = new Set([
  'ssh',
  'ssh-add',
  'ssh-keygen',
  'ssh-copy-id',
  'sftp',
  'chmod',
  'chown',
  'ls',
  'dir',
  'stat',
  'test',
  '[',
  'mkdir',
  'touch',
  'rm',
  'echo',
  'printf',
  'git',
  'kubectl',
  'helm',
  'cd',
  'find',
  'ln',
  'readlink',
  'realpath',
  'basename',
  'dirname',
  'du',
  'tree',
  'file',
  'export',
  'source',
  '.',
]);

/**
 * Notes when any program at all is pointed at credentials. Answers whether it may pass on what a file of secrets holds.
 */
export function noteCredentials(name: string, args: readonly Field[], shell: Shell): boolean {
  if (USES.has(name)) return false;
  const paths = args
    .filter(({ text }) => !text.startsWith('-'))
    .map((path) => shell.scope.movedTo.get(shell.path(path) ?? '')?.from ?? path);
  noteRead(name, paths, shell);
  return paths.some(({ text }) => isExact(text) && isSecretFile(text));
}
