// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { LIMITS, type BlobRef, type EgressRequest, type Redemption, type TenantId } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import {
  ARGUMENTS_ATTEMPT,
  openContent,
  sealContent,
  sealedRef,
  type ContentKind,
  type ContentSeal,
} from '@writ/sealing';
import { Runner, type Call, type Staged } from '../calls/runner.ts';
import { ScriptedKernel } from '../specs/scripted-kernel.ts';

const MARKER = 'marker-of-a-person';
const LONG = MARKER.repeat(5_000);
const KEY = randomBytes(32);
const content_key = KEY.toString('base64');

const line = (at_ms: number): EgressRequest => ({
  at_ms,
  method: 'GET',
  target: `https://${MARKER}.example/${'x'.repeat(200)}`,
  purpose: '',
  outcome: 'answered',
  reason: null,
  address: null,
  status: 200,
  sent_bytes: 0,
  received_bytes: 0,
});

function withOneBitFlipped(bytes: Buffer): Buffer {
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  return bytes;
}

/** Returns a long result and a long list of requests. */
class VerboseRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  readonly calls: Call[] = [];
  override run(call: Call): Promise<Staged> {
    this.calls.push(call);
    return Promise.resolve({
      ended: 'exited',
      exitCode: 0,
      error: null,
      delta: null,
      blobs: [],
      result: { text: LONG },
      requests: Array.from({ length: 100 }, (_, n) => line(n)),
      usage: { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
    });
  }
}

let kernel: ScriptedKernel;
let root: string;
let runner: VerboseRunner;
beforeEach(async () => {
  kernel = await new ScriptedKernel().start();
  root = await kernel.tree({ 'a.txt': 'one' });
  runner = new VerboseRunner();
});
afterEach(() => kernel.close());

const perform = async (args: Record<string, unknown>, redemption: Partial<Redemption> = {}, attempt = 1) =>
  kernel
    .executor([runner])
    .run(
      kernel.order('shell.run', args, root, {
        redemption: { content_key, attempt, ...redemption },
        permit: { attempt },
      }),
      'sandboxed',
    );
const sealed = (attempt = 1): ContentSeal => ({
  key: KEY,
  tenantId: kernel.redemption.tenant_id,
  operationId: kernel.redemption.operation_id,
  attempt,
});
const stored = async ({ sha256 }: BlobRef) =>
  Buffer.from(await kernel.blobs.get(kernel.redemption.tenant_id as TenantId, sha256));

describe('contents that an executor stores', () => {
  it("a long result and a long list of requests are sealed for their attempt with the redemption's key", async () => {
    expect(await perform({ command: 'go' }, {}, 3)).toBe('reported');
    const [report] = kernel.reports;
    const result = canonicalBytes({ text: LONG });
    expect(report).toMatchObject({
      result: null,
      requests: [],
      result_hash: sha256Hex(result),
      result_ref: { size: result.length },
    });
    for (const [kind, ref] of [
      ['result', report!.result_ref],
      ['requests', report!.requests_ref],
    ] as [ContentKind, BlobRef][]) {
      const bytes = await stored(ref);
      expect(bytes.includes(MARKER)).toBe(false);
      expect(openContent(sealed(3), kind, bytes)).toHaveLength(ref.size);
      expect(() => openContent(sealed(1), kind, bytes)).toThrow();
    }
    expect(openContent(sealed(3), 'result', await stored(report!.result_ref!))).toEqual(Buffer.from(result));
    expect(JSON.stringify(kernel.reports)).not.toContain(content_key);
  });

  it('a long result is stored unsealed when an older kernel sends no key', async () => {
    await perform({ command: 'go' }, { content_key: undefined });
    const [report] = kernel.reports;
    expect(report?.result_ref?.sha256).toBe(report?.result_hash);
    expect((await stored(report!.result_ref!)).includes(MARKER)).toBe(true);
  });
});

describe('long arguments', () => {
  const ARGS = { command: 'go', stdin: LONG };
  const bytes = Buffer.from(JSON.stringify(ARGS));
  const argsSeal = (key: Buffer, more: Partial<ContentSeal> = {}): ContentSeal => ({
    ...sealed(ARGUMENTS_ATTEMPT),
    key,
    ...more,
  });
  const storedArguments = async (stores: (key: Buffer) => Uint8Array, named = (ref: BlobRef) => sealedRef(ref)) => {
    kernel.order('shell.run', {}, root);
    const key = randomBytes(32);
    const args_ref = named(await kernel.blobs.put(kernel.redemption.tenant_id as TenantId, stores(key)));
    return { args: null, args_ref, args_key: key.toString('base64') };
  };

  it("are opened with the redemption's key, and the call runs with them as admitted", async () => {
    expect(bytes.length).toBeGreaterThan(LIMITS.argsInlineBytes.max);
    expect(await perform(ARGS, await storedArguments((key) => sealContent(argsSeal(key), 'args', bytes)))).toBe(
      'reported',
    );
    expect(runner.calls[0]?.args).toEqual(ARGS);
  });

  it('of an older call are read unsealed', async () => {
    await perform(ARGS, {
      ...(await storedArguments(
        () => bytes,
        (ref) => ref,
      )),
      args_key: undefined,
    });
    expect(runner.calls[0]?.args).toEqual(ARGS);
  });

  it.each<[string, (key: Buffer) => Uint8Array]>([
    ['in clear', () => bytes],
    ['sealed for another call', (key) => sealContent(argsSeal(key, { operationId: 'op_other' }), 'args', bytes)],
    ['sealed for an attempt', (key) => sealContent(argsSeal(key, { attempt: 1 }), 'args', bytes)],
    ['sealed as a result', (key) => sealContent(argsSeal(key), 'result', bytes)],
    ['sealed under another key', () => sealContent(argsSeal(randomBytes(32)), 'args', bytes)],
    ['with a byte changed', (key) => withOneBitFlipped(sealContent(argsSeal(key), 'args', bytes))],
  ])('make the call invalid when they are %s', async (_, stores) => {
    await perform(ARGS, await storedArguments(stores));
    expect(runner.calls).toEqual([]);
    expect(kernel.reports).toMatchObject([{ ended: 'invalid', error: { code: 'permit.invalid' } }]);
  });
});
