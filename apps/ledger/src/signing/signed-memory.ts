// SPDX-License-Identifier: Apache-2.0
//
// The memory file: the root that this replica signed last for each log, outside of the database. INVARIANT (no going
// back): a root of a smaller size, or another root of the same size, is never signed, also when the database was
// restored from a backup. The file has one line per signature, which is on disk before the signature leaves. INVARIANT
// (never torn): after a failed write, which may have left half a line, the file is rewritten. Nothing is signed until
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
 * A write returns when its bytes are on disk (open(2)): a separate sync would add a round trip to a thread to every
 * append.
 */
const FRESH_DURABLE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC;
/** Lines beyond which the file is rewritten: a few MiB. */
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
  /** The largest claimed root of each log: in the file, or being written. */
  readonly #claimed = new Map<string, CommittedRoot>();
  readonly #written = new Map<string, CommittedRoot>();
  /** Roots that arrive during a write go into the next one. */
  readonly #writes = new WriteBatcher<readonly CommittedRoot[], void>({
    write: (batches) => this.#write(batches.flat()),
  });
  #lines = 0;
  /** Undefined before the first write and after a failed one: then the file is rewritten. */
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

  /** The largest root of a log that was signed or is claimed for signing. */
  last(logId: string): CommittedRoot | undefined {
    return this.#claimed.get(logId);
  }

  /** The tenants whose logs have a signed root. */
  tenants(): string[] {
    return [...this.#claimed.values()].map(({ tenantId }) => tenantId);
  }

  /**
   * Remembers roots before they are signed. Returns the roots that may be signed, which are claimed at once (`last`
   * returns them), and a promise that resolves when they are durable. No signature may leave before. A root that is
   * smaller than the last signed one is left out: the larger checkpoint covers it. Throws the Fault `ledger.diverged`
   * for another root of the same size. `written` rejects with `ledger.unavailable` where the file can't be written.
   */
  remember(roots: readonly CommittedRoot[]): {
    readonly signable: readonly CommittedRoot[];
    readonly written: Promise<void>;
  } {
    const signable = roots.filter((root) => this.#mayBeSigned(root));
    for (const root of signable) this.#claimed.set(root.logId, root);
    const newRoots = signable.filter((root) => root.treeSize !== this.#written.get(root.logId)?.treeSize);
    return { signable, written: newRoots.length > 0 ? this.#writes.run(newRoots) : Promise.resolve() };
  }

  /**
   * Resolves if signed roots can be remembered. After a failed write it tries another one: nothing may be appended that
   * couldn't be signed. Fault `ledger.unavailable`.
   */
  async verifyWritable(): Promise<void> {
    if (this.#hasFailed) await this.#writes.run([]);
  }

  /** Resolves when all pending roots are written and the file is closed. Nothing may be remembered afterwards. */
  async close(): Promise<void> {
    await this.#writes.run([]);
    if (this.#fd !== undefined) await file.close(this.#fd);
    this.#fd = undefined;
  }

  #mayBeSigned(root: CommittedRoot): boolean {
    const last = this.#claimed.get(root.logId);
    if (!last || root.treeSize > last.treeSize) return true;
    if (root.treeSize < last.treeSize) return false;
    if (isSameHash(root.root, last.root)) return true;
    throw new Fault(
      'ledger.diverged',
      `log \`${root.logId}\` was signed at size ${last.treeSize} with another root than the database has now`,
    );
  }

  async #write(roots: readonly CommittedRoot[]): Promise<void> {
    try {
      if (this.#fd === undefined || this.#lines + roots.length > LINES_MAX + this.#written.size)
        await this.#rewrite(roots);
      else await this.#append(this.#fd, roots);
    } catch (cause) {
      this.#hasFailed = true;
      await this.#closeFile();
      throw new Fault(
        'ledger.unavailable',
        "signed roots can't be remembered: check that WRIT_LEDGER_MEMORY_FILE can be written and its disk has room",
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

  /** Replaces the file by a new one. The old one stays unchanged until the new one is on disk. */
  async #rewrite(roots: readonly CommittedRoot[]): Promise<void> {
    await this.#closeFile();
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

  /** An error on close is ignored: no code relies on this file's contents any more. */
  async #closeFile(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await file.close(fd).catch(() => undefined);
  }
}

/** Makes the entries of a folder durable. */
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
  // A line without its newline was being written at a crash: its signature never left.
  lines.pop();
  for (const [i, line] of lines.entries()) {
    const [, logId, tenantId, size, root] = LINE.exec(line) ?? [];
    if (!logId || !tenantId || !size || !root)
      throw new Error(`line ${i + 1} of the memory of signed roots can't be read; restore the file before starting`);
    yield { logId, tenantId, treeSize: Number(size), root: Buffer.from(root, 'hex') };
  }
}
