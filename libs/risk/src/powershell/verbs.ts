// SPDX-License-Identifier: Apache-2.0
import type { ActKind } from '../act.ts';
import type { Argument } from './arguments.ts';
import type { Session } from './session.ts';
import { NO_VALUE, tainted, union, UNKNOWN_VALUE, type Value } from './values.ts';

/*
 * The name of a PowerShell command is a verb of a short list and a noun. So the name of an unknown command shows its
 * effect.
 */

/** Verbs that show, compute or wait. */
const LOOKS = new Set([
  'get',
  'select',
  'where',
  'sort',
  'group',
  'measure',
  'format',
  'out',
  'convertto',
  'convertfrom',
  'convert',
  'compare',
  'test',
  'write',
  'resolve',
  'split',
  'join',
  'find',
  'show',
  'read',
  'wait',
  'receive',
  'search',
  'trace',
  'watch',
  'assert',
  'confirm',
  'debug',
  'step',
  'use',
  'import',
  'should',
  'start',
  'new',
]);
/** Verbs that remove something, or stop it. */
const TAKES_AWAY = new Set([
  'remove',
  'clear',
  'uninstall',
  'unregister',
  'disable',
  'reset',
  'revoke',
  'dismount',
  'stop',
  'suspend',
  'block',
  'deny',
  'undo',
  'restore',
  'format',
  'optimize',
  'delete',
  'destroy',
  'purge',
  'drop',
  'wipe',
  'erase',
  'terminate',
]);
/** Verbs that publish something, or move it where others see it. */
const PUBLISHES = new Set(['publish', 'unpublish', 'deploy']);
/** Nouns of modules for a cloud or a directory of people: their changes happen elsewhere. */
const ELSEWHERE = new RegExp(
  [
    String.raw`^(?:az|azure|mg|ad|aad|azuread|entra|exo|spo|pnp|ec2|s3|iam|rds|lm|ssm|cfn|ecs|eks|`,
    String.raw`ddb|sns|sqs|cw|kms|r53|elb\w?|gcs?|gke|gce|vm|vmhost|hv|cluster|dnsserver|dhcpserver|`,
    String.raw`iis|web|gp|aws|k8s|kube|cs|tfs|vsts|octopus|jenkins)(?=[A-Z_]|[a-z]*(?:user|group|`,
    String.raw`vm|account|resource|bucket|instance|role|policy|cluster|zone|server|database|pool|`,
    String.raw`site|app|subscription|deployment|function|vault|secret))`,
  ].join(''),
  'i',
);
const CHANGES = new Set([
  'set',
  'new',
  'add',
  'update',
  'enable',
  'start',
  'restart',
  'move',
  'rename',
  'copy',
  'grant',
  'invoke',
  'register',
  'install',
  'mount',
  'approve',
  'submit',
  'push',
  'send',
  'import',
  'sync',
  'save',
  'edit',
  'expand',
  'initialize',
  'switch',
  'merge',
  'resume',
  'unblock',
  'unlock',
  'lock',
  'protect',
  'unprotect',
  'limit',
  'repair',
]);
/** Verbs that change only this session, whatever the noun. */
const SYSTEM = new RegExp(
  [
    String.raw`^(?:net\w+|firewall\w*|dns\w*|windowsfeature|windowsoptionalfeature|appx\w*|mp\w+|`,
    String.raw`defender\w*|bitlocker\w*|tpm|smb\w+|printer\w*|pnpdevice|vpn\w*|localgroup|bcd\w*|`,
    String.raw`wsl\w*)$`,
  ].join(''),
  'i',
);

/** The effect of a command of that name; undefined where its name isn't of that form. */
export function byVerb(
  verb: string,
  noun: string,
  args: readonly Argument[],
  input: Value,
  session: Session,
): Value | undefined {
  const name = `${verb}-${noun}`;
  const { shell } = session;
  // Any command may run the blocks among its arguments.
  const blocks = args.map(({ value }) => (value?.block ? session.runBlock(value.block, input) : NO_VALUE));
  const output = union([...blocks, tainted(union([input, UNKNOWN_VALUE]))]);
  if (args.some(({ parameter, value }) => (parameter === 'whatif' || parameter === 'wi') && value === undefined))
    return output;
  const kind = kindOf(verb, noun);
  if (kind !== undefined) shell.act(kind, name, args.map(({ word }) => word.text).join(' '));
  else if (!LOOKS.has(verb)) shell.act('change', 'powershell', name);
  return output;
}

function kindOf(verb: string, noun: string): ActKind | undefined {
  if (PUBLISHES.has(verb)) return 'publication';
  const isElsewhere = ELSEWHERE.test(noun);
  if (TAKES_AWAY.has(verb))
    return isElsewhere
      ? 'infrastructure_loss'
      : SYSTEM.test(noun)
        ? 'system_change'
        : verb === 'format' || verb === 'optimize'
          ? undefined
          : 'named_loss';
  if (!CHANGES.has(verb)) return undefined;
  return isElsewhere ? 'infrastructure_change' : SYSTEM.test(noun) ? 'system_change' : undefined;
}
