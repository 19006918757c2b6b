// SPDX-License-Identifier: Apache-2.0
import type { BlacklistEntry } from '../schema.ts';

type Row = readonly [id: string, kind: BlacklistEntry['kind'], pattern: string, reason: string];
const rows = (scope: BlacklistEntry['scope'], list: readonly Row[]): BlacklistEntry[] =>
  list.map(([id, kind, pattern, reason]) => ({ id, kind, pattern, scope, reason }));

/** The root, a home or everything at once, however the options are written. */
const DELETES_WHOLE = String.raw`\brm\s+(?:-[\w-]+\s+)*-(?:\w*r\w*|-recursive)\b(?:\s+-[\w-]+)*\s+["']?(?:/|~|\$\{?home\}?|\.{1,2}|\*)(?:[/*]*)["']?(?:\s|;|&|$)`;

/** Texts that no argument of any verb may contain: they destroy data if anything ever runs them. */
const EVERYWHERE: readonly Row[] = [
  ['files.delete_whole', 'regex', DELETES_WHOLE, 'deletes the root, a home or all there is'],
  ['files.no_preserve_root', 'substring', '--no-preserve-root', 'takes the guard of the root away'],
  ['files.delete_windows', 'regex', String.raw`\b(?:del|erase)\s+/[a-z]\b[^\n]*[a-z]:\\`, 'deletes a drive'],
  ['files.rmdir_windows', 'regex', String.raw`\b(?:rd|rmdir)\s+/s\b`, 'deletes a tree'],
  ['files.remove_item', 'regex', String.raw`\bremove-item\b[^\n]*-recurse\b[^\n]*-force\b`, 'deletes a tree'],
  [
    'files.chmod_root',
    'regex',
    String.raw`\b(?:chmod|chown)\s+(?:-[\w-]+\s+)*-\w*r\w*\s+\S+\s+/(?:\s|$)`,
    'changes the owner or mode of everything',
  ],
  [
    'files.find_delete',
    'regex',
    String.raw`\bfind\s+/\s[^\n]*-(?:delete|exec\s+rm)\b`,
    'deletes what it finds under the root',
  ],
  ['files.shred', 'regex', String.raw`\b(?:shred|wipe|srm)\s+-`, 'overwrites files for good'],
  ['disk.mkfs', 'regex', String.raw`\bmkfs(?:\.[a-z0-9]+)?\s`, 'makes a new file system'],
  ['disk.dd', 'regex', String.raw`\bdd\s[^\n]*\bof=/dev/`, 'overwrites a device'],
  ['disk.redirect', 'regex', String.raw`>\s*/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mem|kmem)`, 'overwrites a device'],
  [
    'disk.partition',
    'regex',
    String.raw`\b(?:fdisk|sfdisk|gdisk|sgdisk|parted|wipefs|blkdiscard)\s+(?:-[\w-]+\s+)*/dev/`,
    'changes the partitions of a disk',
  ],
  ['disk.format', 'regex', String.raw`\bformat\s+[a-z]:`, 'formats a drive'],
  ['disk.diskpart', 'word', 'diskpart', 'changes the partitions of a disk'],
  ['disk.cipher', 'regex', String.raw`\bcipher\s+/w`, 'overwrites free space'],
  ['disk.lvm', 'regex', String.raw`\b(?:lvremove|vgremove|pvremove)\s`, 'removes volumes'],
  [
    'disk.cryptsetup',
    'regex',
    String.raw`\bcryptsetup\s+(?:luksformat|erase|luksremovekey)\b`,
    'destroys an encrypted volume',
  ],
  ['power.shutdown', 'regex', String.raw`\bshutdown\s+(?:-|/|now\b|\+)`, 'turns the machine off'],
  [
    'power.reboot',
    'regex',
    String.raw`\b(?:sudo|systemctl)\s+(?:reboot|poweroff|halt|kexec)\b`,
    'turns the machine off',
  ],
  ['power.init', 'regex', String.raw`\b(?:init|telinit)\s+[06]\b`, 'turns the machine off'],
  ['power.windows', 'regex', String.raw`\b(?:stop-computer|restart-computer)\b`, 'turns the machine off'],
  ['kill.all', 'regex', String.raw`\bkill\s+-(?:9|kill|sigkill|s\s+kill)\s+-?1\b`, 'kills every process'],
  ['kill.killall', 'regex', String.raw`\b(?:killall|killall5|pkill)\s+-`, 'kills processes by name'],
  ['kill.taskkill', 'regex', String.raw`\btaskkill\b[^\n]*/f\b`, 'kills processes'],
  [
    'kill.fork_bomb',
    'regex',
    String.raw`:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:`,
    'starts processes until the machine stands still',
  ],
  [
    'sql.drop',
    'regex',
    String.raw`\bdrop\s+(?:table|database|schema|user|role|tablespace)\s`,
    'drops what a database holds',
  ],
  ['sql.truncate', 'regex', String.raw`\btruncate\s+table\s`, 'empties a table'],
  [
    'sql.delete_all',
    'regex',
    String.raw`\bdelete\s+from\s+[\w."\x60\[\]]+\s*(?:;|$|where\s+(?:1\s*=\s*1|true)\b)`,
    'empties a table',
  ],
  ['sql.xp_cmdshell', 'word', 'xp_cmdshell', 'runs commands from a database'],
  ['credentials.shadow', 'regex', String.raw`/etc/(?:shadow|gshadow|sudoers)\b`, 'holds passwords or who may be root'],
  ['credentials.ssh_keys', 'regex', String.raw`\bid_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?\b`, 'is a private key'],
  ['credentials.ssh_folder', 'regex', String.raw`(?:^|[/\\])\.ssh(?:[/\\]|$)`, 'holds private keys'],
  ['credentials.aws', 'regex', String.raw`\.aws[/\\]credentials\b`, 'holds access keys'],
  ['credentials.gcloud', 'regex', String.raw`application_default_credentials\.json\b`, 'holds access keys'],
  ['credentials.azure', 'regex', String.raw`\.azure[/\\]accesstokens\b`, 'holds access keys'],
  ['credentials.docker', 'regex', String.raw`\.docker[/\\]config\.json\b`, 'holds passwords of registries'],
  ['credentials.kube', 'regex', String.raw`\.kube[/\\]config\b`, 'holds keys of a cluster'],
  ['credentials.git', 'regex', String.raw`\.git-credentials\b`, 'holds passwords'],
  ['credentials.netrc', 'regex', String.raw`(?:^|[/\\\s])[._]netrc\b`, 'holds passwords'],
  ['credentials.pgpass', 'regex', String.raw`\.pgpass\b`, 'holds passwords'],
  ['credentials.gnupg', 'regex', String.raw`\.gnupg[/\\]`, 'holds private keys'],
  ['credentials.key_block', 'regex', '-----begin (?:[a-z]+ )?private key(?: block)?-----', 'is a private key'],
  ['credentials.sam', 'regex', String.raw`\\system32\\config\\(?:sam|security|system)\b`, 'holds passwords'],
  ['credentials.proc', 'regex', String.raw`/proc/(?:self|[0-9]+)/(?:environ|mem)\b`, 'holds the secrets of a process'],
  [
    'run.downloaded',
    'regex',
    String.raw`\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|k|da)?sh\b`,
    'runs what was just downloaded',
  ],
  ['run.iex', 'regex', String.raw`\b(?:iex|invoke-expression)\b\s*\(`, 'runs a text'],
  ['run.reverse_shell', 'regex', String.raw`/dev/(?:tcp|udp)/`, 'opens a connection from a shell'],
  ['registry.delete', 'regex', String.raw`\breg\s+delete\s+hk`, 'deletes settings of the system'],
  ['boot.records', 'regex', String.raw`\b(?:bcdedit|bootrec)\s+/`, 'breaks how the machine starts'],
  ['boot.copies', 'regex', String.raw`\bvssadmin\s+delete\b`, 'deletes copies of a drive'],
  ['firewall.iptables', 'regex', String.raw`\biptables\s+(?:-f|--flush)\b`, 'opens the firewall'],
  ['firewall.nft', 'regex', String.raw`\bnft\s+flush\s+ruleset\b`, 'opens the firewall'],
  ['firewall.ufw', 'regex', String.raw`\bufw\s+disable\b`, 'opens the firewall'],
  ['crontab.remove', 'regex', String.raw`\bcrontab\s+-r\b`, 'deletes all scheduled jobs'],
];

/**
 * Texts with a meaning for a shell. No shell ever reads an argument of ProcRun, but a program that passes it to one
 * must not contain them either.
 */
const PROCESS: readonly Row[] = [
  ['shell.separator', 'substring', ';', 'ends a command for a shell'],
  ['shell.pipe', 'substring', '|', 'pipes a command into another for a shell'],
  ['shell.background', 'substring', '&', 'joins or backgrounds commands for a shell'],
  ['shell.backtick', 'substring', '`', 'runs a command for a shell'],
  ['shell.substitution', 'substring', '$(', 'runs a command for a shell'],
  ['shell.expansion', 'substring', '${', 'expands a variable for a shell'],
  ['shell.output', 'substring', '>', 'redirects for a shell'],
  ['shell.input', 'substring', '<', 'redirects for a shell'],
  ['shell.newline', 'substring', '\n', 'ends a command for a shell'],
  ['shell.return', 'substring', '\r', 'ends a command for a terminal'],
  ['shell.nul', 'substring', '\0', 'ends an argument'],
  ['shell.sudo', 'word', 'sudo', 'becomes root'],
];

/** The shipped blacklist; a sandbox may add to it and remove nothing. */
export const BLACKLIST: readonly BlacklistEntry[] = [...rows('everywhere', EVERYWHERE), ...rows('process', PROCESS)];
