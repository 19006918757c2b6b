// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './program-form.ts';

/** Commands that schedule later ones, hand out credentials, or hide what was run. */
export const TRACES: readonly TableRow[] = [
  { programs: ['crontab'], unless: ['-l', '--help'], kind: 'persistence' },
  { programs: ['at', 'batch'], unless: ['-l'], kind: 'persistence' },
  { programs: ['systemctl'], words: ['enable'], kind: 'persistence' },
  { programs: ['ssh-copy-id'], kind: 'persistence' },
  { programs: ['launchctl'], words: ['load|bootstrap|submit|enable'], kind: 'persistence' },
  { programs: ['gh', 'glab'], words: ['ssh-key|gpg-key|deploy-key', 'add'], kind: 'access_change' },
  { programs: ['gh', 'glab'], words: ['auth', 'token'], kind: 'credential_read' },
  { programs: ['gh', 'glab'], words: ['auth', 'status'], flags: ['-t', '--show-token'], kind: 'credential_read' },
  {
    programs: ['gcloud', 'az', 'heroku', 'doctl', 'oc'],
    words: ['auth|account|whoami', 'print-access-token|print-identity-token|get-access-token|token'],
    kind: 'credential_read',
  },
  { programs: ['oc', 'kubectl'], words: ['whoami'], flags: ['-t', '--show-token'], kind: 'credential_read' },
  { programs: ['kubectl', 'oc'], words: ['config', 'view'], flags: ['--raw'], kind: 'credential_read' },
  {
    programs: ['kubectl', 'oc', 'k'],
    words: ['get', 'secret*'],
    flags: ['-o', '--output', '--template'],
    kind: 'credential_read',
  },
  {
    programs: ['aws'],
    words: ['get-secret-value|get-session-token|get-authorization-token|export-credentials|batch-get-secret-value'],
    kind: 'credential_read',
  },
  { programs: ['aws'], words: ['ssm', 'get-parameter*'], flags: ['--with-decryption'], kind: 'credential_read' },
  { programs: ['gcloud'], words: ['secrets', 'versions', 'access'], kind: 'credential_read' },
  { programs: ['az'], words: ['keyvault', 'secret|key', 'show|download|backup'], kind: 'credential_read' },
  { programs: ['vault'], words: ['read|kv', 'secret*|get'], kind: 'credential_read' },
  {
    programs: ['op', 'pass', 'bw', 'lpass', 'secret-tool', 'keyring'],
    words: ['read|show|get|item|lookup|export'],
    kind: 'credential_read',
  },
  { programs: ['mimipenguin', 'lazagne', 'mimikatz', 'linpeas', 'hashdump'], kind: 'credential_read' },
  {
    programs: ['tailscale', 'cloudflared', 'ngrok', 'localtunnel', 'lt', 'bore', 'frpc', 'chisel'],
    words: ['up|tunnel|http|tcp|start|client|funnel|serve|local|start-all'],
    kind: 'remote_shell',
  },
  { programs: ['ssh-keygen'], flags: ['-R'], kind: 'work_loss' },
  {
    programs: ['journalctl'],
    flags: ['--vacuum-time', '--vacuum-size', '--vacuum-files', '--rotate'],
    kind: 'trace_removal',
  },
  { programs: ['auditctl'], flags: ['-D', '-d', '-e'], kind: 'trace_removal' },
  {
    programs: ['gpg', 'gpg2'],
    flags: ['--delete-keys', '--delete-secret-keys', '--delete-secret-and-public-key'],
    kind: 'work_loss',
  },
  { programs: ['gpg', 'gpg2'], flags: ['--export-secret-keys', '--export-secret-subkeys'], kind: 'credential_read' },
  { programs: ['security'], words: ['dump-keychain|find-generic-password|delete-keychain'], kind: 'credential_read' },
  { programs: ['logrotate'], flags: ['-f', '--force'], kind: 'trace_removal' },
];
