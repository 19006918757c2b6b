// SPDX-License-Identifier: Apache-2.0
import { isPublicAddress } from '@writ/egress';
import { regexFault } from './expressions.ts';

/** How a verb accesses the file of a path. */
export type Access = 'read' | 'write' | 'delete';

export type ArgumentKind =
  | { readonly kind: 'text' }
  | { readonly kind: 'path'; readonly access: Access }
  | { readonly kind: 'int' | 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'regex' | 'glob' | 'json' | 'url' | 'host' };

/** One argument of a verb, as data. */
export type Argument = ArgumentKind & { readonly name: string; readonly optional: boolean };

const required = (name: string, kind: ArgumentKind): Argument => ({ ...kind, name, optional: false });
export const text = (name: string): Argument => required(name, { kind: 'text' });
export const path = (name: string, access: Access = 'read'): Argument => required(name, { kind: 'path', access });
export const int = (name: string, min: number, max: number): Argument => required(name, { kind: 'int', min, max });
export const number = (name: string, min: number, max: number): Argument =>
  required(name, { kind: 'number', min, max });
export const choice = (name: string, ...of: string[]): Argument => required(name, { kind: 'choice', of });
export const regex = (name: string): Argument => required(name, { kind: 'regex' });
export const glob = (name: string): Argument => required(name, { kind: 'glob' });
export const json = (name: string): Argument => required(name, { kind: 'json' });
export const url = (name: string): Argument => required(name, { kind: 'url' });
export const host = (name: string): Argument => required(name, { kind: 'host' });
export const optional = (argument: Argument): Argument => ({ ...argument, optional: true });

export const ALGORITHMS = ['sha256', 'sha512', 'md5'] as const;
export const algorithm = (): Argument => optional(choice('algorithm', ...ALGORITHMS));

/** The fault of a value for an argument, or null. Paths are checked where the sandbox is known. */
export function argumentFault(argument: Argument, value: string): string | null {
  switch (argument.kind) {
    case 'int':
      return /^-?[0-9]{1,15}$/.test(value)
        ? rangeFault(argument, Number(value))
        : `must be a whole number from ${argument.min} to ${argument.max}`;
    case 'number':
      return /^-?[0-9]{1,15}(?:\.[0-9]{1,9})?$/.test(value)
        ? rangeFault(argument, Number(value))
        : `must be a number from ${argument.min} to ${argument.max}`;
    case 'choice':
      return argument.of.includes(value.toLowerCase()) ? null : `must be one of ${argument.of.join(', ')}`;
    case 'regex':
      return regexFault(value);
    case 'glob':
      return value.length > 256 || value.split('/').includes('..') || value.startsWith('/')
        ? 'must be a pattern of at most 256 characters, without `..` and without a leading `/`'
        : null;
    case 'json':
      return jsonFault(value);
    case 'url':
      return urlFault(value);
    case 'host':
      return hostFault(value);
    default:
      return null;
  }
}

const rangeFault = ({ min, max }: { min: number; max: number }, value: number): string | null =>
  value >= min && value <= max ? null : `must be from ${min} to ${max}`;

function jsonFault(value: string): string | null {
  try {
    JSON.parse(value);
    return null;
  } catch {
    return 'must be JSON';
  }
}

/** Only public hosts: no names of this machine or of a private network. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)\.?$/i;

/** The fault of a host as it is written, or null; its addresses are checked once they are known. */
export function hostFault(value: string): string | null {
  const bare = value.replace(/^\[(.*)\]$/, '$1');
  if (bare.includes(':') || /^[0-9.]+$/.test(bare) || /^0x/i.test(bare))
    return isPublicAddress(bare)
      ? null
      : `leads to \`${bare.slice(0, 64)}\`, which is no address of the public Internet`;
  if (bare.length > 253 || !/^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)*[a-z0-9](?:[a-z0-9-]{0,62})\.?$/i.test(bare))
    return 'must be a host name or an address';
  return LOCAL_NAMES.test(bare) || !bare.includes('.')
    ? `names \`${bare.slice(0, 64)}\`, which is of this machine or a network of its own`
    : null;
}

/** The port of each scheme, which `URL` leaves out. */
const USUAL_PORTS = { 'http:': 80, 'https:': 443 } as const;

/** The fault of a URL, or null. */
export function urlFault(value: string): string | null {
  if (value.length > 8192 || !URL.canParse(value)) return 'must be a URL';
  const { protocol, port, username, password, hostname } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be a URL of http or https';
  if (port !== '') return `has port ${port}; \`${protocol.slice(0, -1)}\` goes to port ${USUAL_PORTS[protocol]} alone`;
  if (username !== '' || password !== '') return 'must hold no user and no password';
  return hostFault(hostname);
}

/** The argument as a text, for the reference. */
export function describeArgument(argument: Argument): string {
  switch (argument.kind) {
    case 'path':
      return argument.access === 'read' ? 'path' : `path, ${argument.access === 'write' ? 'written' : 'deleted'}`;
    case 'int':
      return `${argument.min}–${argument.max}`;
    case 'number':
      return `${argument.min}–${argument.max}`;
    case 'choice':
      return argument.of.join(' or ');
    case 'regex':
      return 'RE2 expression';
    default:
      return argument.kind;
  }
}
