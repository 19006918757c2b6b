// SPDX-License-Identifier: Apache-2.0
import { isExact } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { ANYTHING } from '../shell/source.ts';
import { DELETING } from './delete.ts';

/*
 * Options with which a program of another purpose starts a command. Programs with readings of their own handle theirs;
 * these are the others, recognized by name.
 */

const TAR = ['--rsh-command', '--rmt-command', '-F', '--info-script', '--new-volume-script'];
const HANDED: Readonly<Record<string, readonly string[]>> = {
  tar: TAR,
  gtar: TAR,
  cpio: ['--rsh-command', '--rmt-command'],
  split: ['--filter'],
  gsplit: ['--filter'],
  rg: ['--pre', '--hostname-bin'],
  ag: ['--pager'],
  ack: ['--pager'],
  bat: ['--pager'],
  delta: ['--pager'],
  wget: ['--use-askpass'],
  svn: ['--diff-cmd', '--diff3-cmd', '--editor-cmd'],
  fzf: ['--preview', '--with-shell'],
  sk: ['--preview', '-c', '--cmd'],
  tcpdump: ['-z', '--postrotate-command'],
  openvpn: ['--up', '--down', '--route-up', '--client-connect', '--iproute'],
  rsync: ['--rsync-path'],
  dhclient: ['-sf'],
  xterm: ['-e'],
  konsole: ['-e'],
  alacritty: ['-e'],
  'gnome-terminal': ['-e', '--command'],
  tmate: ['-c'],
  mysql: ['--pager'],
  mariadb: ['--pager'],
  jj: ['--tool'],
  hg: ['--editor'],
  w3m: ['-o'],
  bpftrace: ['-c'],
  perf: ['--post', '--pre'],
  gpg: ['--photo-viewer', '--pinentry-program'],
  mutt: ['-e'],
  lftp: ['-e', '-c'],
  certbot: ['--pre-hook', '--post-hook', '--deploy-hook', '--manual-auth-hook', '--manual-cleanup-hook'],
  'acme.sh': ['--reloadcmd', '--pre-hook', '--post-hook', '--renew-hook'],
  rclone: ['--password-command', '--metadata-mapper'],
  restic: ['--password-command'],
  borg: ['--rsh', '--content-from-command'],
  ansible: ['--vault-password-file'],
  chokidar: ['-c', '--command'],
  watchexec: ['--emit-events-to'],
  'cargo-watch': ['-s', '--shell', '-x'],
};

/** Compressors and similar programs, which are usual. */
const USUAL = /^(?:ssh|rsh|gzip|pigz|bzip2|pbzip2|xz|zstd|lz4|lzop|cat|less|more|ssh -[\w\s@.:/~-]+)$/;
/** Programs with one option for the program with which they compress or connect. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  sort: ['--compress-program'],
  gsort: ['--compress-program'],
  scp: ['-S', '-D'],
  sftp: ['-S', '-D'],
};

/** Notes the commands in the program's options. */
export function noteHandedCommands({ name, args }: Invocation, shell: Shell): void {
  const handed = Object.hasOwn(HANDED, name) ? (HANDED[name] ?? []) : [];
  for (const text of valuesOf(args, handed)) shell.script(text, ANYTHING);
  const replaced = Object.hasOwn(REPLACED, name) ? (REPLACED[name] ?? []) : [];
  for (const text of valuesOf(args, replaced))
    if (!USUAL.test(text) || !isExact(text)) shell.act('run_unknown', name, text);
  noteBehindDashes(name, args, shell);
  // `fzf` and similar programs start the commands bound to keys.
  for (const { text } of args)
    for (const [, command = ''] of text.matchAll(
      /\b(?:execute(?:-silent)?|become|reload|transform)[([{]([^)\]}]*)[)\]}]/g,
    ))
      if (name === 'fzf' || name === 'sk') shell.script(command, ANYTHING);
}

/** Programs that pass the words after `--` to another program. So they start a command there that may delete. */
const GIVES_ON = new Set([
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'lerna',
  'nx',
  'turbo',
  'rush',
  'dotenv',
  'infisical',
  'chamber',
  'aws-vault',
  'envchain',
  'teller',
  'tilt',
  'devcontainer',
  'cargo',
  'foreman',
  'overmind',
  'watchexec',
  'cross-env-shell',
  'with-env',
  'systemd-run',
  'machinectl',
  'distrobox',
  'toolbox',
  'flatpak-spawn',
  'nix-shell',
  'nix',
  'guix',
  'lxc',
  'incus',
  'vagrant',
  'heroku',
  'railway',
  'sops',
]);
function noteBehindDashes(name: string, args: Invocation['args'], shell: Shell): void {
  if (!GIVES_ON.has(name)) return;
  const { afterDashes } = parseOptions(args);
  if (afterDashes.length > 1 && Object.hasOwn(DELETING, afterDashes[0]?.text ?? ''))
    shell.invoke(afterDashes, ANYTHING);
}

const valuesOf = (args: Invocation['args'], flags: readonly string[]): readonly string[] => {
  if (flags.length === 0) return [];
  const { allValues } = parseOptions(args, flags);
  return flags.flatMap((flag) => allValues.get(flag) ?? []).map(({ text }) => text);
};
