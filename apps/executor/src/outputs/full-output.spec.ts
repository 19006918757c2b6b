// SPDX-License-Identifier: Apache-2.0
import { BlobStore, memoryBlobs } from '@writ/blobs';
import { Fault, formatId, type BlobRef, type OutputRefs, type TenantId } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import type { SandboxOutput } from '@writ/sandbox';
import { openContent, SEAL_BYTES, type ContentSeal } from '@writ/sealing';
import { SecretValues } from '../redaction/redactor.ts';
import { FullOutput, type FullOutputOptions } from './full-output.ts';

const TENANT = formatId('tenant', new Uint8Array(16).fill(1));
const EXITED = { ended: 'exited', untappedBytes: 0 } as const;
const VALUES = new SecretValues({ KEY: 'hunter2-of-ours' });

const blobs = memoryBlobs();
const options = (over: Partial<FullOutputOptions> = {}): FullOutputOptions => ({
  blobs,
  tenantId: TENANT,
  values: undefined,
  seal: undefined,
  shownBytes: 10,
  capturedBytesMax: 1_000_000,
  ...over,
});
const outputOf = (stream: SandboxOutput['stream'], text: string): SandboxOutput => ({
  stream,
  bytes: Buffer.from(text),
});
const textsOf = async (refs: OutputRefs | null): Promise<string[]> =>
  Promise.all(
    [refs!.stdout, refs!.stderr].map(async ({ sha256, size }) => {
      const bytes = await blobs.get(TENANT, sha256);
      expect(bytes).toHaveLength(size);
      return Buffer.from(bytes).toString();
    }),
  );

/** A store that reads nothing of a stream until the test releases it. */
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

it('output that the result shows completely is not stored', async () => {
  const fullOutput = new FullOutput(options());
  fullOutput.push(outputOf('stdout', '12345'));
  fullOutput.push(outputOf('stderr', '67890'));
  expect(await fullOutput.end(EXITED)).toBeNull();
});

it('longer output is stored from its beginning, by stream', async () => {
  const fullOutput = new FullOutput(options());
  for (const [stream, text] of [
    ['stdout', 'one '],
    ['stderr', 'two '],
    ['stdout', 'three '],
    ['stderr', 'four'],
  ] as const)
    fullOutput.push(outputOf(stream, text));
  const refs = await fullOutput.end(EXITED);
  expect(await textsOf(refs)).toEqual(['one three ', 'two four']);
  expect([refs!.stdout.cut, refs!.stderr.cut]).toEqual([false, false]);
});

it('each stream is redacted, then sealed under its own kind, with its clear length', async () => {
  const seal: ContentSeal = { key: Buffer.alloc(32, 7), tenantId: TENANT, operationId: 'op_a', attempt: 2 };
  const fullOutput = new FullOutput(options({ seal, values: VALUES }));
  for (const [stream, text] of [
    ['stdout', 'one hunter2-'],
    ['stderr', 'two '],
    ['stdout', 'of-ours three'],
    ['stderr', 'four'],
  ] as const)
    fullOutput.push(outputOf(stream, text));
  const { stdout, stderr } = (await fullOutput.end(EXITED))!;
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

it.each([1, 2, 5, 15, 16, 400])('stores no secret value when output comes in pieces of %d bytes', async (length) => {
  const fullOutput = new FullOutput(options({ values: VALUES }));
  const text = 'before hunter2-of-ours between hunter2-of-ours after'.repeat(5);
  for (let at = 0; at < text.length; at += length) {
    fullOutput.push(outputOf('stdout', text.slice(at, at + length)));
    fullOutput.push(outputOf('stderr', 'x'));
  }
  expect((await textsOf(await fullOutput.end(EXITED)))[0]).toBe('before ***KEY*** between ***KEY*** after'.repeat(5));
});

it.each([
  ['bytes beyond the captured ones', { ended: 'exited', untappedBytes: 7 }, true],
  ['a kill at the capture limit', { ended: 'killed', untappedBytes: 0 }, true],
  ['output of exactly the capture limit', EXITED, false],
] as const)('the `cut` mark and the redaction at a cut are right for %s', async (_, end, cut) => {
  const text = `${'x'.repeat(30)}hunter2`;
  const fullOutput = new FullOutput(options({ values: VALUES, capturedBytesMax: text.length }));
  fullOutput.push(outputOf('stdout', text));
  const refs = await fullOutput.end(end);
  expect([refs!.stdout.cut, refs!.stderr.cut]).toEqual([cut, cut]);
  expect((await textsOf(refs))[0]).toBe(cut ? `${'x'.repeat(30)}***KEY***` : text);
});

it('the producer waits while the store does not read, and no longer', async () => {
  const store = new SlowBlobs();
  const fullOutput = new FullOutput(options({ blobs: store }));
  const piece = outputOf('stdout', 'x'.repeat(64 * 1024));
  let brought = 0;
  let wait: Promise<void> | undefined;
  while (wait === undefined && brought < 200) {
    wait = fullOutput.push(piece);
    brought += 1;
  }
  expect(wait).toBeDefined();
  expect(brought * 64 * 1024).toBeLessThanOrEqual(2 * 1024 * 1024);
  store.go();
  await wait;
  expect((await fullOutput.end(EXITED))!.stdout.size).toBe(brought * 64 * 1024);
});

it('a store that fails loses the output, and neither delays nor fails the call', async () => {
  const store = new SlowBlobs();
  const fullOutput = new FullOutput(options({ blobs: store }));
  const piece = outputOf('stdout', 'x'.repeat(1024 * 1024));
  const waits = Array.from({ length: 4 }, () => fullOutput.push(piece));
  expect(waits.at(-1)).toBeDefined();
  store.fail();
  await Promise.all(waits);
  expect(fullOutput.push(piece)).toBeUndefined();
  expect(await fullOutput.end(EXITED)).toBeNull();
});

it('dropped output is not stored, also while it is being written', async () => {
  const store = new SlowBlobs();
  const fullOutput = new FullOutput(options({ blobs: store }));
  fullOutput.push(outputOf('stdout', 'x'.repeat(20)));
  fullOutput.discard();
  store.go();
  expect(await fullOutput.end(EXITED)).toBeNull();
});
