// SPDX-License-Identifier: Apache-2.0
import { DOWNLOADED, SECRET, UNKNOWN, type Source } from './field.ts';

export const NOTHING: Source = { kind: 'nothing' };
export const ANYTHING: Source = { kind: 'unknown' };
export const FROM_NETWORK: Source = { kind: 'downloaded' };
export const KEPT_SECRET: Source = { kind: 'secret' };
export const ENDLESS: Source = { kind: 'endless' };

export const textSource = (text: string, decoded = false): Source => ({ kind: 'text', text, decoded });
/** Output that is known to be empty. */
export const EMPTY: Source = textSource('');

/** The content of a device for its reader. */
export function deviceSource(path: string): Source | undefined {
  if (path === '/dev/null') return EMPTY;
  return /^\/dev\/(?:zero|full|u?random)$/.test(path) ? ENDLESS : undefined;
}

/** The source as text, with markers for unknown parts. */
export function textOf(source: Source): string {
  switch (source.kind) {
    case 'nothing':
      return '';
    case 'text':
      return source.text;
    case 'paths':
      return source.paths.map(({ text }) => text).join('\n');
    case 'downloaded':
      return DOWNLOADED;
    case 'secret':
      return SECRET;
    case 'endless':
    case 'unknown':
      return UNKNOWN;
  }
}

/** The possible output of a program that passes on some part of its input, or transforms it. */
export function passedOn(source: Source, keepsLines: boolean): Source {
  // Without an input it reads files, which may hold anything.
  if (source.kind === 'nothing') return ANYTHING;
  if (
    source.kind === 'downloaded' ||
    source.kind === 'secret' ||
    source.kind === 'endless' ||
    (source.kind === 'text' && source.text === '')
  )
    return source;
  return source.kind === 'paths' && keepsLines ? source : ANYTHING;
}

/** The possible output of an unknown program: the origin of the content stays, its text doesn't. */
export const tainted = (source: Source): Source =>
  source.kind === 'downloaded' || source.kind === 'secret' ? source : ANYTHING;

/** The source with the most relevant origin among several. */
export function strongest(sources: readonly Source[]): Source {
  return sources.find(({ kind }) => kind === 'downloaded') ?? sources.find(({ kind }) => kind === 'secret') ?? ANYTHING;
}
