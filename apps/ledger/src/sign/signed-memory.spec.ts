// SPDX-License-Identifier: Apache-2.0
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatId, logIdOf } from '@writ/contract';
import { SignedMemory } from './signed-memory.ts';

const tenantId = formatId('tenant', new Uint8Array(16));
const logId = logIdOf(tenantId);
const root = (treeSize: number, fill: number) => ({ logId, tenantId, treeSize, root: new Uint8Array(32).fill(fill) });

describe('the memory of what was signed', () => {
  let folder: string;
  let path: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'writ-memory-')); path = join(folder, 'signed'); });
  afterEach(() => { rmSync(folder, { recursive: true }); });

  it('outlives the process', () => {
    const first = new SignedMemory(path);
    expect(first.remember([root(3, 1)])).toHaveLength(1);
    first.close();
    expect(new SignedMemory(path).last(logId)).toMatchObject({ treeSize: 3 });
  });

  it('lets the same root be signed again, and no other of that size', () => {
    const memory = new SignedMemory(path);
    memory.remember([root(3, 1)]);
    expect(memory.remember([root(3, 1)])).toHaveLength(1);
    expect(() => memory.remember([root(3, 2)])).toThrow('another root');
  });

  it('leaves out a smaller one', () => {
    const memory = new SignedMemory(path);
    memory.remember([root(3, 1)]);
    expect(memory.remember([root(2, 9)])).toEqual([]);
    expect(memory.last(logId)?.treeSize).toBe(3);
  });

  it('forgets a line that was cut off, and refuses one that can not be read', () => {
    new SignedMemory(path).remember([root(3, 1)]);
    appendFileSync(path, `${logId} ${tenantId} 4 00`);
    expect(new SignedMemory(path).last(logId)?.treeSize).toBe(3);
    appendFileSync(path, 'rubbish\n');
    expect(() => new SignedMemory(path)).toThrow('line 2');
    expect(readFileSync(path, 'utf8')).toContain('rubbish');
  });
});
