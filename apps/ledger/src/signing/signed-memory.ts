// SPDX-License-Identifier: Apache-2.0
//
// The second place: what this replica signed last for each log, in a file outside of the database. INVARIANT (no going
// back): a root of a smaller size, or another root of the same size, is never signed, also when the database was
// restored from a backup. The file has a line a signature and is written out before the signature leaves. INVARIANT
// (never torn): a file that a failed write may have left half a line in is written anew, and nothing is signed until
// that has worked.
import {
  accessSync,
  close,
  constants,
  existsSync,
  fsync,
  mkdirSync,
  open,
  readFileSync,
  rename,
  writeFile,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { Fault } from '@writ/contract';
import { isSameHash } from '@writ/merkle';
import { newestOfEach, type CommittedRoot } from './committed-root.ts';
import { WriteBatcher } from '../foundation/write-batcher.ts';

/**
 * A write ends when its bytes are on disk (open(2)): a sync of its own would be one more way to a thread and back in
 * every append.
 */
const FRESH_DURABLE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC;
/** Lines beyond which the file is written anew: a few MiB. */
const LINES_MAX = 50_000;

const file = {
  open: promisify(open),
  write: promisify(writeFile),
  sync: promisify(fsync),
  close: promisify(close),
  rename: promisify(rename),
};

export class SignedMemory {
  readonly #path: string;
  /** The largest root of each log that was to be remembered: in the file, or on its way there. */
  readonly #claimed = new Map<string, CommittedRoot>();
  readonly #written = new Map<string, CommittedRoot>();
  /** What comes while the disk has a write under way goes with the next one. */
  readonly #writes = new WriteBatcher<readonly CommittedRoot[], void>({
    write: (batches) => this.#write(batches.flat()),
  });
  #lines = 0;
  /** Undefined before the first write and after one that failed: then the file is written anew. */
  #fd: number | undefined;
  #hasFailed = false;

  /**
   * Reads the file, if there is one. Throws on a line that can't be read, without which nothing may be signed, and on a
   * folder that can't be written.
   */
  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
    if (!existsSync(path)) return;
    for (const root of newestOfEach(parseLines(readFileSync(path, 'utf8')))) {
      this.#written.set(root.logId, root);
      this.#claimed.set(root.logId, root);
    }
  }

  /** The largest root of a log that was signed or is about to be. */
  last(logId: string): CommittedRoot | undefined {
    return this.#claimed.get(logId);
  }

  /** The tenants in whose logs something was signed. */
  tenants(): string[] {
    return [...this.#claimed.values()].map(({ tenantId }) => tenantId);
  }

  /**
   * Remembers roots that are about to be signed: those that may be, which are claimed when it returns (`last` knows
   * them), and when that is durable. No signature may leave before. One that is smaller than what was signed is left
   * out: the larger checkpoint covers it. Throws the Fault `ledger.diverged` for another root of the same size;
   * `written` rejects with `ledger.unavailable` where the file can't be written.
   */
  remember(roots: readonly CommittedRoot[]): {
    readonly signable: readonly CommittedRoot[];
    readonly written: Promise<void>;
  } {
    const signable = roots.filter((root) => this.#mayBeSigned(root));
    for (const root of signable) this.#claimed.set(root.logId, root);
    const news = signable.filter((root) => root.treeSize !== this.#written.get(root.logId)?.treeSize);
    return { signable, written: news.length > 0 ? this.#writes.run(news) : Promise.resolve() };
  }

  /**
   * Resolves if what is signed can be remembered. After a write that failed it tries another: nothing more is to be
   * appended that couldn't be signed. Fault `ledger.unavailable`.
   */
  async verifyWritable(): Promise<void> {
    if (this.#hasFailed) await this.#writes.run([]);
  }

  /** Resolves when what was asked for is written, and the file closed. Nothing may be remembered afterwards. */
  async close(): Promise<void> {
    await this.#writes.run([]);
    if (this.#fd !== undefined) await file.close(this.#fd);
    this.#fd = undefined;
  }

  #mayBeSigned(root: CommittedRoot): boolean {
    const known = this.#claimed.get(root.logId);
    if (!known || root.treeSize > known.treeSize) return true;
    if (root.treeSize < known.treeSize) return false;
    if (isSameHash(root.root, known.root)) return true;
    throw new Fault(
      'ledger.diverged',
      `log \`${root.logId}\` was signed at size ${known.treeSize} with another root than the database has now`,
    );
  }

  async #write(roots: readonly CommittedRoot[]): Promise<void> {
    try {
      if (this.#fd === undefined || this.#lines + roots.length > LINES_MAX + this.#written.size)
        await this.#rewrite(roots);
      else await this.#append(this.#fd, roots);
    } catch (cause) {
      this.#hasFailed = true;
      await this.#forgetFile();
      throw new Fault(
        'ledger.unavailable',
        "what was signed can't be remembered: see that WRIT_LEDGER_MEMORY_FILE can be written and its disk has room",
        { cause },
      );
    }
    this.#hasFailed = false;
    for (const root of newestOfEach(
      [...roots].filter(({ logId, treeSize }) => treeSize > (this.#written.get(logId)?.treeSize ?? 0)),
    ))
      this.#written.set(root.logId, root);
  }

  async #append(fd: number, roots: readonly CommittedRoot[]): Promise<void> {
    if (roots.length === 0) return;
    await file.write(fd, roots.map(formatLine).join(''));
    this.#lines += roots.length;
  }

  /** A new file in the place of the old one, which stays as it is until the new one is on disk. */
  async #rewrite(roots: readonly CommittedRoot[]): Promise<void> {
    await this.#forgetFile();
    const all = [...newestOfEach([...this.#written.values(), ...roots])];
    const next = `${this.#path}.next`;
    const fd = await file.open(next, FRESH_DURABLE, 0o600);
    try {
      await file.write(fd, all.map(formatLine).join(''));
      await file.sync(fd);
      await file.rename(next, this.#path);
      await syncFolder(dirname(this.#path));
    } catch (error) {
      await file.close(fd);
      throw error;
    }
    this.#fd = fd;
    this.#lines = all.length;
  }

  /** A failure to close it says nothing about what is on disk, which nobody relies on any more. */
  async #forgetFile(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await file.close(fd).catch(() => undefined);
  }
}

/** Makes names in a folder as durable as what they name. */
async function syncFolder(path: string): Promise<void> {
  const fd = await file.open(path, 'r');
  try {
    await file.sync(fd);
  } finally {
    await file.close(fd);
  }
}

const formatLine = (root: CommittedRoot): string =>
  `${root.logId} ${root.tenantId} ${root.treeSize} ${Buffer.from(root.root).toString('hex')}\n`;

const LINE = /^(log_[0-9a-z]{26}) (ten_[0-9a-z]{26}) (\d{1,16}) ([0-9a-f]{64})$/;

function* parseLines(text: string): Generator<CommittedRoot> {
  const lines = text.split('\n');
  // A line without its newline was being written when the power went: its signature never left.
  lines.pop();
  for (const [i, line] of lines.entries()) {
    const [, logId, tenantId, size, root] = LINE.exec(line) ?? [];
    if (!logId || !tenantId || !size || !root)
      throw new Error(`line ${i + 1} of the memory of signed roots can't be read; restore the file before starting`);
    yield { logId, tenantId, treeSize: Number(size), root: Buffer.from(root, 'hex') };
  }
}
