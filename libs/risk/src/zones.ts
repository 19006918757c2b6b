// SPDX-License-Identifier: Apache-2.0
import { isRegenerable } from './regenerable.ts';
import { isExact, knownStart, UNSET, withoutMarkers, type Field } from './shell/field.ts';
import { WORKSPACE } from './shell/scope.ts';

/**
 * The zone of a path. `root`, `home` and `workspace` are those directories or all of their contents. `system` and
 * `outside` are beyond the workspace. `scratch` is a named entry in the container's own /tmp, `temporary` one from
 * `mktemp`. `sink` accepts writes and keeps nothing; `history` is git's; `unknown` can't be determined.
 */
export const ZONES = [
  'root',
  'home',
  'workspace',
  'system',
  'outside',
  'device',
  'sink',
  'scratch',
  'temporary',
  'history',
  'regenerable',
  'inside',
  'unknown',
] as const;
export type Zone = (typeof ZONES)[number];

/** The result of `mktemp` in this reading. */
export const TEMPORARY = '/tmp/tmp.mktemp';

const SYSTEM = /^\/(?:bin|boot|dev|etc|lib|lib32|lib64|proc|run|sbin|srv|sys|usr|var)(?:\/|$)/;
/** Parts of those trees that users may own. */
const LOCAL = /^\/(?:usr\/local|var\/tmp)(?:\/|$)/;
const SINKS = /^\/dev\/(?:(?:tcp|udp)\/.*|null|zero|full|stdin|stdout|stderr|tty|random|urandom|fd\/\d+)$/;
const HOMES = /^\/(?:root|home(?:\/[^/]*)?|Users(?:\/[^/]*)?)$/;
const SCRATCH = /^\/(?:tmp|var\/tmp|dev\/shm)\/[^/]/;
const WILD = /[*?[]/;

/** The possible zones of the path, from each of the possible working directories. */
export function zonesOf(field: Field, cwds: readonly (string | undefined)[]): readonly Zone[] {
  return [...new Set(cwds.map((cwd) => zoneOf(field, cwd)))];
}

function zoneOf({ text, glob }: Field, cwd: string | undefined): Zone {
  // The empty text is no path; a shell that is to delete it reports an error.
  if (text === '') return 'unknown';
  if (!isExact(text)) return zoneOfPartlyKnown(text, glob, cwd);
  const path = absolute(text, cwd);
  if (path === undefined) return 'unknown';
  return glob ? zoneOfPattern(path) : zoneOfPath(path, path);
}

/**
 * Only the text before the unknown part counts. But an unset variable may well be empty, in which case `$X/*` is all of
 * `/`.
 */
function zoneOfPartlyKnown(text: string, glob: boolean, cwd: string | undefined): Zone {
  const without = withoutMarkers(text);
  const emptied =
    /^[\uE001]/.test(text) && text.includes(UNSET) && without.startsWith('/')
      ? zoneOf({ text: without, glob }, cwd)
      : 'unknown';
  if (emptied === 'root') return 'root';
  const known = knownStart(text);
  if (!known.startsWith('/')) return 'unknown';
  const zone = zoneOfPath(absolute(`${known}x`, cwd) ?? '/', '');
  return zone === 'outside' || zone === 'system' || zone === 'device' || zone === 'temporary' ? zone : 'unknown';
}

/** The absolute, normalised path; undefined if it is relative to an unknown directory. */
export function absolute(text: string, cwd: string | undefined): string | undefined {
  if (!text.startsWith('/') && cwd === undefined) return undefined;
  const segments: string[] = [];
  for (const segment of (text.startsWith('/') ? text : `${cwd ?? ''}/${text}`).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/**
 * A pattern affects the directory before its first wild segment; one that matches everything there counts as that
 * directory.
 */
function zoneOfPattern(path: string): Zone {
  const segments = path.slice(1).split('/');
  const first = segments.findIndex((segment) => WILD.test(segment));
  const base = `/${segments.slice(0, first).join('/')}`;
  const rest = segments.slice(first);
  // A wild segment just below `/` is somewhere in the system, whatever follows it.
  if (base === '/') return 'root';
  // `?` and `[` can't match all names of a directory; `*` without a literal character can.
  const matchesAll = rest.every((segment) => /^[.*?]*$/.test(segment) && segment.includes('*'));
  if (matchesAll) {
    // Not all of /tmp belongs to this call.
    return base === '/tmp' || base === '/var/tmp' || base === '/dev/shm' ? 'outside' : zoneOfPath(base, base);
  }
  return zoneOfPath(path, base);
}

/**
 * `base` is the part of the path without wild segments: a pattern below a home is no home, and one below the workspace
 * isn't the workspace.
 */
function zoneOfPath(path: string, base: string): Zone {
  if (path === '/') return 'root';
  if (HOMES.test(path)) return 'home';
  if (path === WORKSPACE) return 'workspace';
  if (path.startsWith(`${WORKSPACE}/`)) return zoneInside(path.slice(WORKSPACE.length + 1).split('/'), path === base);
  if (SINKS.test(path)) return 'sink';
  if (path.startsWith(TEMPORARY)) return 'temporary';
  if (SCRATCH.test(path)) return /^\/(?:tmp|var\/tmp|dev\/shm)\/[^/]*[*?[]/.test(path) ? 'outside' : 'scratch';
  if (path.startsWith('/dev/')) return 'device';
  return SYSTEM.test(path) && !LOCAL.test(path) ? 'system' : 'outside';
}

function zoneInside(segments: readonly string[], named: boolean): Zone {
  const git = segments.indexOf('.git');
  // A lock that a killed git left behind is removed manually; it holds nothing.
  if (git >= 0) return named && segments.at(-1)?.endsWith('.lock') ? 'regenerable' : 'history';
  return isRegenerable(segments) ? 'regenerable' : 'inside';
}
