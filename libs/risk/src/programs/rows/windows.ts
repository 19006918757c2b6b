// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './program-form.ts';

/**
 * Programs of Windows that PowerShell and the command prompt start. Their switches are words that begin with a slash.
 */
export const WINDOWS: readonly TableRow[] = [
  { programs: ['schtasks'], words: ['/create|/change'], kind: 'persistence' },
  { programs: ['schtasks'], words: ['/delete|/end'], kind: 'system_change' },
  { programs: ['reg'], words: ['delete|add|import|restore|load|unload|copy'], first: true, kind: 'system_change' },
  { programs: ['sc'], words: ['create|delete|stop|config|failure|sdset'], first: true, kind: 'system_change' },
  {
    programs: ['net', 'net1'],
    words: ['user|localgroup|group|accounts', '*', '*'],
    first: true,
    kind: 'access_change',
  },
  { programs: ['net', 'net1'], words: ['stop|share|session|computer', '*'], first: true, kind: 'system_change' },
  { programs: ['wmic'], words: ['*', 'delete|call|create|set'], kind: 'system_change' },
  {
    programs: ['icacls', 'cacls', 'takeown'],
    words: ['*', '/grant*|/deny*|/remove*|/reset|/setowner|/inheritance*'],
    kind: 'access_change',
  },
  { programs: ['takeown'], words: ['/f'], kind: 'access_change' },
  { programs: ['wevtutil'], words: ['cl|clear-log|sl'], first: true, kind: 'trace_removal' },
  {
    programs: ['fsutil'],
    words: ['usn|file|volume', 'deletejournal|setzerodata|dismount|createnew'],
    first: true,
    kind: 'system_change',
  },
  { programs: ['cipher'], words: ['/w*'], kind: 'format' },
  {
    programs: ['netsh'],
    words: ['advfirewall|firewall|interface|winhttp', '*'],
    first: true,
    without: ['show', 'dump'],
    kind: 'system_change',
  },
  {
    programs: ['dism', 'pnputil', 'bcdboot', 'manage-bde', 'secedit', 'auditpol'],
    words: ['/*'],
    without: ['/?', '/get*', '/list*'],
    kind: 'system_change',
  },
];
