// SPDX-License-Identifier: Apache-2.0
import { field, type Field } from '../shell/field.ts';
import { HOME } from '../shell/scope.ts';

/** Drives without files; a change there affects the session or the system. */
export type Drive = 'files' | 'session' | 'environment' | 'system';

const DRIVES: Readonly<Record<string, Drive>> = {
  alias: 'session',
  function: 'session',
  variable: 'session',
  temp: 'files',
  env: 'environment',
  environment: 'environment',
  hklm: 'system',
  hkcu: 'system',
  hkcr: 'system',
  hku: 'system',
  hkcc: 'system',
  registry: 'system',
  cert: 'system',
  certificate: 'system',
  wsman: 'system',
  ad: 'system',
  iis: 'system',
  sqlserver: 'system',
  wim: 'system',
};

/** The provider's drive in a path; a letter, or none, is the file system. */
export function driveOf(text: string): Drive {
  const [, name = ''] = /^(?:[\w.]+\\)?(\w+)::?/.exec(text) ?? [];
  return DRIVES[name.toLowerCase()] ?? 'files';
}

/**
 * A path of Windows in the form of this system: `C:\Users\x` becomes `/Users/x`; a drive's current directory is
 * unknown.
 */
export function pathOf(text: string, isLiteral: boolean): Field {
  const plain = text
    .replace(/^Microsoft\.PowerShell\.Core\\FileSystem::/i, '')
    .replace(/^temp:[\\/]*/i, '/tmp/')
    .replaceAll('\\', '/')
    .replace(/^[A-Za-z]:(?=\/|$)/, '')
    .replace(/^~(?=\/|$)/, HOME)
    .replace(/^\/(?:Windows|Program Files(?: \(x86\))?|ProgramData)(?=\/|$)/i, '/usr');
  return field(plain === '' && text !== '' ? '/' : plain, !isLiteral && /[*?[]/.test(plain));
}
