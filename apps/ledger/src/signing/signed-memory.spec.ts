// SPDX-License-Identifier: Apache-2.0
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatId, logIdOf } from '@writ/contract';
import { SignedMemory } from './signed-memory.ts';

const tenantId = formatId('tenant', new Uint8Array(16));
const logId = logIdOf(tenantId);
/** Resolves with how many roots may be signed, once that is durable. */
const remembered = async (memory: SignedMemory, ...roots: readonly ReturnType<typeof root>[]): Promise<number> => {
  const { signable, written } = memory.remember(roots);
  await written;
  return signable.length;
};
const root = (treeSize: number, fill: number) => ({ logId, tenantId, treeSize, root: new Uint8Array(32).fill(fill) });

describe('the memory file of signed roots', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'writ-memory-'));
    path = join(folder, 'signed');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('keeps its roots over a restart', async () => {
    const first = new SignedMemory(path);
    expect(await remembered(first, root(3, 1))).toBe(1);
    await first.close();
    expect(new SignedMemory(path).last(logId)).toMatchObject({ treeSize: 3 });
  });

  it('lets the same root be signed again, and refuses another root of that size', async () => {
    const memory = new SignedMemory(path);
    await remembered(memory, root(3, 1));
    expect(await remembered(memory, root(3, 1))).toBe(1);
    expect(() => memory.remember([root(3, 2)])).toThrow('another root');
  });

  it('skips a smaller root, also while the larger one is still being written', async () => {
    const memory = new SignedMemory(path);
    const larger = remembered(memory, root(3, 1));
    expect(memory.last(logId)?.treeSize).toBe(3);
    expect(await remembered(memory, root(2, 9))).toBe(0);
    await larger;
    expect(memory.last(logId)?.treeSize).toBe(3);
  });

  it('resolves each of many concurrent writes only when its root is in the file', async () => {
    const memory = new SignedMemory(path);
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        await remembered(memory, root(i + 1, 1));
        const sizes = readFileSync(path, 'utf8')
          .trim()
          .split('\n')
          .map((line) => Number(line.split(' ')[2]));
        expect(Math.max(...sizes)).toBeGreaterThanOrEqual(i + 1);
      }),
    );
    await memory.close();
    expect(new SignedMemory(path).last(logId)?.treeSize).toBe(50);
  });

  it('ignores a truncated last line, and refuses an unreadable one', async () => {
    const memory = new SignedMemory(path);
    await remembered(memory, root(3, 1));
    await memory.close();
    appendFileSync(path, `${logId} ${tenantId} 4 00`);
    expect(new SignedMemory(path).last(logId)?.treeSize).toBe(3);
    appendFileSync(path, 'rubbish\n');
    expect(() => new SignedMemory(path)).toThrow('line 2');
    expect(readFileSync(path, 'utf8')).toContain('rubbish');
  });

  it("lets nothing be signed while the file can't be written, and continues when it can", async () => {
    const memory = new SignedMemory(path);
    await memory.verifyWritable();
    const next = `${path}.next`;
    mkdirSync(next); // nothing can be written where a folder is
    await expect(remembered(memory, root(3, 1))).rejects.toMatchObject({ code: 'ledger.unavailable' });
    await expect(memory.verifyWritable()).rejects.toMatchObject({ code: 'ledger.unavailable' });
    await expect(remembered(memory, root(3, 1))).rejects.toMatchObject({ code: 'ledger.unavailable' });
    rmdirSync(next);
    await memory.verifyWritable();
    expect(await remembered(memory, root(3, 1))).toBe(1);
    await memory.close();
    expect(new SignedMemory(path).last(logId)?.treeSize).toBe(3);
  });
});
