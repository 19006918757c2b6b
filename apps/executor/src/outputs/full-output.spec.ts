// SPDX-License-Identifier: Apache-2.0
import { BlobStore, memoryBlobs } from '@writ/blobs';
import { Fault, formatId, type BlobRef, type OutputRefs, type TenantId } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import type { SandboxOutput } from '@writ/sandbox';
import { openContent, SEAL_BYTES, type ContentSeal } from '@writ/sealing';
import { Values } from '../redaction/redactor.ts';
import { FullOutput, type Keeping } from './full-output.ts';

const TENANT = formatId('tenant', new Uint8Array(16).fill(1));
const EXITED = { ended: 'exited', unheardBytes: 0 } as const;
const VALUES = new Values({ KEY: 'hunter2-of-ours' });

const blobs = memoryBlobs();
const keeping = (over: Partial<Keeping> = {}): Keeping => ({
  blobs,
  tenantId: TENANT,
  values: undefined,
  seal: undefined,
  shownBytes: 10,
  heardBytes: 1_000_000,
  ...over,
});
const said = (stream: SandboxOutput['stream'], text: string): SandboxOutput => ({ stream, bytes: Buffer.from(text) });
const textsOf = async (refs: OutputRefs | null): Promise<string[]> =>
  Promise.all(
    [refs!.stdout, refs!.stderr].map(async ({ sha256, size }) => {
      const bytes = await blobs.get(TENANT, sha256);
      expect(bytes).toHaveLength(size);
      return Buffer.from(bytes).toString();
    }),
  );

/** A store that takes nothing of a stream until it is let. */
class SlowBlobs extends BlobStore {
  readonly #taking = Promise.withResolvers<null>();
  readonly put = blobs.put.bind(blobs);
  readonly putMany = blobs.putMany.bind(blobs);
  readonly get = blobs.get.bind(blobs);
  readonly getMany = blobs.getMany.bind(blobs);
  readonly getStream = blobs.getStream.bind(blobs);
  readonly sizes = blobs.sizes.bind(blobs);

  async putStream(tenantId: TenantId, parts: AsyncIterable<Uint8Array>): Promise<BlobRef> {
    await this.#taking.promise;
    return await blobs.putStream(tenantId, parts);
  }

  go(): void {
    this.#taking.resolve(null);
  }

  fail(): void {
    this.#taking.reject(new Fault('database.unavailable'));
  }
}

it('keeps nothing of what the result shows whole', async () => {
  const whole = new FullOutput(keeping());
  whole.take(said('stdout', '12345'));
  whole.take(said('stderr', '67890'));
  expect(await whole.end(EXITED)).toBeNull();
});

it('keeps each stream from its beginning, once there is more than is shown', async () => {
  const whole = new FullOutput(keeping());
  for (const [stream, text] of [
    ['stdout', 'one '],
    ['stderr', 'two '],
    ['stdout', 'three '],
    ['stderr', 'four'],
  ] as const)
    whole.take(said(stream, text));
  const refs = await whole.end(EXITED);
  expect(await textsOf(refs)).toEqual(['one three ', 'two four']);
  expect([refs!.stdout.cut, refs!.stderr.cut]).toEqual([false, false]);
});

it('seals each stream as its own, once its values are out, and says how long it is in clear', async () => {
  const seal: ContentSeal = { key: Buffer.alloc(32, 7), tenantId: TENANT, operationId: 'op_a', attempt: 2 };
  const whole = new FullOutput(keeping({ seal, values: VALUES }));
  for (const [stream, text] of [
    ['stdout', 'one hunter2-'],
    ['stderr', 'two '],
    ['stdout', 'of-ours three'],
    ['stderr', 'four'],
  ] as const)
    whole.take(said(stream, text));
  const { stdout, stderr } = (await whole.end(EXITED))!;
  for (const [kind, ref, text] of [
    ['stdout', stdout, 'one ***KEY*** three'],
    ['stderr', stderr, 'two four'],
  ] as const) {
    const stored = await blobs.get(TENANT, ref.sha256);
    expect([ref.size, stored.length, ref.content_sha256]).toEqual([
      text.length,
      text.length + SEAL_BYTES,
      sha256Hex(Buffer.from(text)),
    ]);
    expect(Buffer.from(stored).toString('latin1')).not.toMatch(/hunter2|three|four/);
    expect(openContent(seal, kind, stored).toString()).toBe(text);
    expect(() => openContent(seal, kind === 'stdout' ? 'stderr' : 'stdout', stored)).toThrow();
  }
});

it.each([1, 2, 5, 15, 16, 400])('stores no value, however it is cut: pieces of %d bytes', async (length) => {
  const whole = new FullOutput(keeping({ values: VALUES }));
  const text = 'before hunter2-of-ours between hunter2-of-ours after'.repeat(5);
  for (let at = 0; at < text.length; at += length) {
    whole.take(said('stdout', text.slice(at, at + length)));
    whole.take(said('stderr', 'x'));
  }
  expect((await textsOf(await whole.end(EXITED)))[0]).toBe('before ***KEY*** between ***KEY*** after'.repeat(5));
});

it.each([
  ['what nobody heard', { ended: 'exited', unheardBytes: 7 }, true],
  ['a command that was killed where nothing more was heard', { ended: 'killed', unheardBytes: 0 }, true],
  ['a command that said just as much', EXITED, false],
] as const)('says that it is cut by %s, and stores no beginning of a value at a cut', async (_, end, cut) => {
  const text = `${'x'.repeat(30)}hunter2`;
  const whole = new FullOutput(keeping({ values: VALUES, heardBytes: text.length }));
  whole.take(said('stdout', text));
  const refs = await whole.end(end);
  expect([refs!.stdout.cut, refs!.stderr.cut]).toEqual([cut, cut]);
  expect((await textsOf(refs))[0]).toBe(cut ? `${'x'.repeat(30)}***KEY***` : text);
});

it('makes whoever brings it wait while the store does not take it, and no longer', async () => {
  const store = new SlowBlobs();
  const whole = new FullOutput(keeping({ blobs: store }));
  const piece = said('stdout', 'x'.repeat(64 * 1024));
  let brought = 0;
  let wait: Promise<void> | undefined;
  while (wait === undefined && brought < 200) {
    wait = whole.take(piece);
    brought += 1;
  }
  expect(wait).toBeDefined();
  expect(brought * 64 * 1024).toBeLessThanOrEqual(2 * 1024 * 1024);
  store.go();
  await wait;
  expect((await whole.end(EXITED))!.stdout.size).toBe(brought * 64 * 1024);
});

it('a store that fails costs the output, holds up nobody, and fails no call', async () => {
  const store = new SlowBlobs();
  const whole = new FullOutput(keeping({ blobs: store }));
  const piece = said('stdout', 'x'.repeat(1024 * 1024));
  const waits = Array.from({ length: 4 }, () => whole.take(piece));
  expect(waits.at(-1)).toBeDefined();
  store.fail();
  await Promise.all(waits);
  expect(whole.take(piece)).toBeUndefined();
  expect(await whole.end(EXITED)).toBeNull();
});

it('what is dropped is stored by nobody, also in the middle', async () => {
  const store = new SlowBlobs();
  const whole = new FullOutput(keeping({ blobs: store }));
  whole.take(said('stdout', 'x'.repeat(20)));
  whole.drop();
  store.go();
  expect(await whole.end(EXITED)).toBeNull();
});
