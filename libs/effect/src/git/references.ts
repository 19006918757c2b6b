// SPDX-License-Identifier: Apache-2.0
import type { Effort } from './effort.ts';
import { asBuffer } from './git-object.ts';

/** How long git keeps commits that only a log names, by default: `gc.reflogExpireUnreachable`. */
const LOGGED_MS = 30 * 24 * 60 * 60 * 1000;
const ID = '([0-9a-f]{40}|[0-9a-f]{64})';
const ID_ONLY = new RegExp(`^${ID}$`);
const PACKED = new RegExp(`^${ID} (\\S+)$`);
const LOGGED = new RegExp(`^${ID} ${ID} [^\\t]*> (\\d{1,12}) [+-]\\d{4}(?:\\t|$)`);
const SYMBOLIC = /^ref: \S/;
const NOTHING = /^0+$/;
const LOG_PATH = /^(?:worktrees\/[^/]+\/)?logs\/(.*)$/;
/** The read part of a line: two names, its author, and the time. Its message may be longer. */
const LINE_BYTES = 4096;
/** The cost of a line, in steps. */
const LINE_STEPS = 16;
/** A reference file holds a name or that of another reference. */
const REFERENCE_BYTES_MAX = 4096;

/** The list of stashes, whose entries people drop regularly. */
const STASH = 'refs/stash';

/** Files of a repository by their paths in it. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** The objects that the references and logs of a repository name. */
export interface References {
  /** object names by reference, those of detached heads included */
  readonly tips: ReadonlyMap<string, string>;
  /** objects that logs name, and that git keeps for that reason; the newest first */
  readonly logged: readonly string[];
  /** the same for stashes */
  readonly stashed: readonly string[];
  /** files that are neither a reference nor lead to one */
  readonly unreadable: ReadonlySet<string>;
}

/** Answers whether a file of a repository is or contains references, or a log of them. */
export function isReferenceFile(inner: string): boolean {
  return (
    inner === 'HEAD' ||
    inner === 'packed-refs' ||
    inner.startsWith('refs/') ||
    inner.startsWith('logs/') ||
    // A linked work tree has its own head, references and logs.
    /^worktrees\/[^/]+\/(?:HEAD$|refs\/|logs\/)/.test(inner)
  );
}

/**
 * Reads the references and logs.
 *
 * @param now when git would look for expired entries, in milliseconds
 * @throws BeyondEffort
 */
export function readReferences(files: Files, now: number, effort: Effort): References {
  const tips = new Map<string, string>();
  const unreadable = new Set<string>();
  const [logged, stashed]: [Logged[], Logged[]] = [[], []];
  const packed = files.get('packed-refs');
  for (const line of packed === undefined ? [] : linesOf(packed, effort)) {
    const [, id, name] = PACKED.exec(line) ?? [];
    if (id !== undefined && name !== undefined) tips.set(name, id);
  }
  for (const [inner, bytes] of files) {
    if (inner === 'packed-refs' || !isReferenceFile(inner)) continue;
    const log = LOG_PATH.exec(inner)?.[1];
    if (log !== undefined) readLog(bytes, { now, effort, into: log === STASH ? stashed : logged });
    else if (bytes.byteLength > REFERENCE_BYTES_MAX) unreadable.add(inner);
    else {
      const text = asBuffer(bytes).toString('latin1').trim();
      // A loose reference overrides a packed one of the same name.
      tips.delete(inner);
      if (ID_ONLY.test(text) && !NOTHING.test(text)) tips.set(inner, text);
      else if (!SYMBOLIC.test(text)) unreadable.add(inner);
    }
  }
  const stash = tips.get(STASH);
  tips.delete(STASH);
  return {
    tips,
    unreadable,
    logged: newestFirst(logged),
    stashed: [...new Set([...(stash === undefined ? [] : [stash]), ...newestFirst(stashed)])],
  };
}

interface Logged {
  readonly id: string;
  readonly at: number;
}

const newestFirst = (entries: readonly Logged[]): string[] => [
  ...new Set([...entries].sort((a, b) => b.at - a.at).map(({ id }) => id)),
];

interface LogReading {
  readonly now: number;
  readonly effort: Effort;
  readonly into: Logged[];
}

/** An entry preserves both of its names for as long as git itself keeps it. */
function readLog(bytes: Uint8Array, { now, effort, into }: LogReading): void {
  for (const line of linesOf(bytes, effort)) {
    const [, old, fresh, seconds] = LOGGED.exec(line) ?? [];
    const at = Number(seconds) * 1000;
    if (old === undefined || fresh === undefined || at < now - LOGGED_MS) continue;
    for (const id of [fresh, old]) if (!NOTHING.test(id)) into.push({ id, at });
  }
}

/** The lines, each up to the length that is read. */
function* linesOf(bytes: Uint8Array, effort: Effort): Generator<string> {
  const data = asBuffer(bytes);
  for (let at = 0; at < data.length;) {
    effort.spendSteps(LINE_STEPS);
    const next = data.indexOf(0x0a, at);
    const end = next < 0 ? data.length : next;
    yield data.toString('latin1', at, Math.min(end, at + LINE_BYTES));
    at = end + 1;
  }
}
