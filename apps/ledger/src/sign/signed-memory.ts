// SPDX-License-Identifier: Apache-2.0
//
// The second place: what this replica signed last for each log, in a file outside of the database.
// INVARIANT (no going back): a root of a smaller size, or another root of the same size, is never signed, also when the database was
// restored from a backup. The file has a line a signature and is written out before the signature leaves.
import { closeSync, existsSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '@writ/contract';
import { isSameHash } from '@writ/merkle';
import type { CommittedRoot } from '../log/entry.ts';

/** Lines beyond which the file is written anew at the next start or signature: a few MiB. */
const LINES_MAX = 50_000;

export class SignedMemory {
  readonly #path: string;
  readonly #last = new Map<string, CommittedRoot>();
  #lines = 0;
  #fd: number;

  /** Opens or makes the file. Throws on a line that can't be read: without it nothing may be signed. */
  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (existsSync(path)) for (const root of parseLines(readFileSync(path, 'utf8'))) this.#last.set(root.logId, root);
    this.#fd = this.#rewrite();
  }

  last(logId: string): CommittedRoot | undefined {
    return this.#last.get(logId);
  }

  /**
   * Remembers roots that are about to be signed and answers which of them may be; durable when it returns. One that is smaller than what
   * was signed is left out: the larger checkpoint covers it. Throws Fault `ledger.diverged` for another root of the same size.
   */
  remember(roots: readonly CommittedRoot[]): CommittedRoot[] {
    const signable = roots.filter((root) => this.#mayBeSigned(root));
    const news = signable.filter((root) => root.treeSize !== this.#last.get(root.logId)?.treeSize);
    if (news.length === 0) return signable;
    writeSync(this.#fd, news.map(formatLine).join(''));
    fdatasyncSync(this.#fd);
    for (const root of news) this.#last.set(root.logId, root);
    this.#lines += news.length;
    if (this.#lines > LINES_MAX + this.#last.size) {
      closeSync(this.#fd);
      this.#fd = this.#rewrite();
    }
    return signable;
  }

  #mayBeSigned(root: CommittedRoot): boolean {
    const known = this.#last.get(root.logId);
    if (!known || root.treeSize > known.treeSize) return true;
    if (root.treeSize < known.treeSize) return false;
    if (isSameHash(root.root, known.root)) return true;
    throw new Fault('ledger.diverged', `log \`${root.logId}\` was signed at size ${known.treeSize} with another root than the database has now`);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #rewrite(): number {
    const next = `${this.#path}.next`;
    const fd = openSync(next, 'w', 0o600);
    writeSync(fd, [...this.#last.values()].map(formatLine).join(''));
    fsyncSync(fd);
    renameSync(next, this.#path);
    const dir = openSync(dirname(this.#path), 'r');
    fsyncSync(dir);
    closeSync(dir);
    this.#lines = this.#last.size;
    return fd;
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
    if (!logId || !tenantId || !size || !root) throw new Error(`line ${i + 1} of the memory of signed roots can't be read; restore the file before starting`);
    yield { logId, tenantId, treeSize: Number(size), root: Buffer.from(root, 'hex') };
  }
}
