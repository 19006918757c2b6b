// SPDX-License-Identifier: Apache-2.0
import { encodeFrame, FrameError, HOST_FRAMES } from './frame.ts';
import type { EntryHead } from './entry-head.ts';
import {
  countOf,
  encodeMeta,
  flagOf,
  isNull,
  listOf,
  oneOf,
  parseMeta,
  prefixMeta,
  splitMeta,
  textOf,
  textsOf,
  type Meta,
} from './meta.ts';
import { pathFault, targetFault } from './path.ts';

/** Keys that a terminal turns into signals or the end of input, by their names. */
export const SHELL_CONTROLS = ['c', 'd', 'z', '\\'] as const;
export type ShellControl = (typeof SHELL_CONTROLS)[number];

/**
 * One request to a shell: at most one of command, input and control. None waits for further output. Its fields are
 * those of the frame.
 */
export interface TurnOrder {
  readonly turn: number;
  readonly command: string | null;
  /** variables of the shell for this command, by their names; absent: none */
  readonly variables?: Readonly<Record<string, string>>;
  readonly input: string | null;
  readonly ctrl: ShellControl | null;
  /** the turn ends at the prompt, or after this time */
  readonly yield_ms: number;
  /** the terminal's new size; null: unchanged */
  readonly cols: number | null;
  readonly rows: number | null;
  readonly output_bytes_max: number;
  readonly delta_bytes_max: number;
  readonly delta_files_max: number;
}

/** The planned state of a path; `gone`: there will be no entry. */
export interface CheckedPath {
  readonly path: string;
  readonly gone: boolean;
}

/** Paths in one `check` frame: two hundred of the longest don't fit, so a sender counts bytes too. */
export const CHECKS_MAX = 1_000;

/**
 * Messages to a shell: it is opened once. Then come turns, and between them checks and patches, each of which is a
 * file, a directory, a link or a deletion.
 */
export type ShellOrder =
  | {
      readonly type: 'shell';
      readonly env: Readonly<Record<string, string>>;
      readonly cols: number;
      readonly rows: number;
      /** whether it has a proxy, each connection to which becomes a channel of a turn; absent: it has none */
      readonly proxy?: true;
    }
  | { readonly type: 'turn'; readonly order: TurnOrder }
  /** `last`: answer now, for all paths since the last answer */
  | { readonly type: 'check'; readonly paths: readonly CheckedPath[]; readonly last: boolean }
  | { readonly type: 'patch'; readonly path: string; readonly after: EntryHead | null; readonly bytes: Buffer };

/** The bytes of one order. Throws FrameError when a part of it is larger than its frame permits. */
export function encodeShellOrder(message: ShellOrder): Buffer {
  switch (message.type) {
    case 'shell':
      return encodeFrame(HOST_FRAMES.shell, encodeMeta(fieldsOfShell(message)));
    case 'turn':
      return encodeFrame(HOST_FRAMES.turn, encodeMeta(message.order));
    case 'check':
      return encodeFrame(HOST_FRAMES.check, encodeMeta({ paths: message.paths, last: message.last }));
    case 'patch':
      return encodeFrame(HOST_FRAMES.patch, prefixMeta({ path: message.path, after: message.after }), message.bytes);
  }
}

const fieldsOfShell = ({ env, cols, rows, proxy }: Extract<ShellOrder, { type: 'shell' }>) => ({
  env,
  cols,
  rows,
  ...(proxy === undefined ? {} : { proxy }),
});

/** Parses an order on the agent's side. Throws FrameError. */
export function parseShellOrder(type: ShellOrder['type'], payload: Buffer): ShellOrder {
  switch (type) {
    case 'shell': {
      const fields = parseMeta(payload);
      const hasProxy = !isNull(fields, 'proxy') && flagOf(fields, 'proxy');
      return {
        type,
        env: textsOf(fields, 'env'),
        cols: sizeOf(fields, 'cols'),
        rows: sizeOf(fields, 'rows'),
        ...(hasProxy ? { proxy: true } : {}),
      };
    }
    case 'turn':
      return { type, order: parseTurn(parseMeta(payload)) };
    case 'check': {
      const fields = parseMeta(payload);
      return { type, paths: listOf(fields, 'paths', CHECKS_MAX).map(parseCheck), last: flagOf(fields, 'last') };
    }
    case 'patch': {
      const { fields, bytes } = splitMeta(payload);
      return { type, path: pathOf(fields), after: isNull(fields, 'after') ? null : parseAfter(fields), bytes };
    }
  }
}

function parseTurn(fields: Meta): TurnOrder {
  const orNull = <T>(name: string, read: () => T): T | null => (isNull(fields, name) ? null : read());
  return {
    turn: countOf(fields, 'turn'),
    command: orNull('command', () => textOf(fields, 'command', HOST_FRAMES.turn.bytesMax)),
    ...(isNull(fields, 'variables') ? {} : { variables: variablesOf(fields) }),
    input: orNull('input', () => textOf(fields, 'input', HOST_FRAMES.turn.bytesMax)),
    ctrl: orNull('ctrl', () => oneOf(fields, 'ctrl', SHELL_CONTROLS)),
    yield_ms: countOf(fields, 'yield_ms'),
    cols: orNull('cols', () => sizeOf(fields, 'cols')),
    rows: orNull('rows', () => sizeOf(fields, 'rows')),
    output_bytes_max: countOf(fields, 'output_bytes_max'),
    delta_bytes_max: countOf(fields, 'delta_bytes_max'),
    delta_files_max: countOf(fields, 'delta_files_max'),
  };
}

/** A shell parses the names, and a NUL would end a value. */
function variablesOf(fields: Meta): Readonly<Record<string, string>> {
  const variables = textsOf(fields, 'variables');
  for (const [name, value] of Object.entries(variables)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes('\0'))
      throw new FrameError("a variable can't be set in a shell");
  }
  return variables;
}

/** The largest size that a terminal can store (16 bits). */
const SIZE_MAX = 65_535;
const sizeOf = (fields: Meta, name: string): number => countOf(fields, name, SIZE_MAX);

function parseCheck(value: unknown): CheckedPath {
  const fields = objectOf(value);
  return { path: pathOf(fields), gone: flagOf(fields, 'gone') };
}

function parseAfter(fields: Meta): EntryHead {
  const after = objectOf(fields['after']);
  const path = pathOf(fields);
  const kind = oneOf(after, 'kind', ['file', 'dir', 'symlink']);
  if (kind === 'dir') return { kind, path };
  if (kind === 'file')
    return {
      kind,
      path,
      mode: oneOf(after, 'mode', ['644', '755']),
      size: countOf(after, 'size'),
      sha256: textOf(after, 'sha256', 64),
    };
  const target = textOf(after, 'target', 4096);
  if (targetFault(target) !== null) throw new FrameError(`a link's target ${targetFault(target)}`);
  return { kind, path, target };
}

function pathOf(fields: Meta): string {
  const path = textOf(fields, 'path', 4096);
  if (pathFault(path) !== null) throw new FrameError(`a path ${pathFault(path)}`);
  return path;
}

function objectOf(value: unknown): Meta {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FrameError('a field is not an object');
  return value as Meta;
}
