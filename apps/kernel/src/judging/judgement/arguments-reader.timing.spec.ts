// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { memoryBlobs } from '@writ/blobs';
import { poolSizes, workerProgram } from '@writ/worker-pool';
import { Fault, LIMITS } from '@writ/contract';
import { ARGUMENTS_ATTEMPT, sealContent, sealedRef } from '@writ/sealing';
import type { CallVault } from '../../evidence/payload/index.ts';
import { newId } from '@writ/nest-kit';
import { KernelPool } from '../../kernel-pool.ts';
import { ArgumentsReader } from './arguments-reader.ts';
import { LONG, SHAPES, textOf } from './long-arguments.contract.ts';

const blobs = memoryBlobs();
const [tenant_id, operation_id] = [newId('tenant'), newId('operation')];
/** Opens contents in clear. */
const vault = { calls: { open: (...[, , , sealed]: unknown[]) => Promise.resolve(sealed) } as unknown as CallVault };
const reader = new ArgumentsReader({ blobs, vault, work: null });
const readArguments = (sent: Parameters<ArgumentsReader['readProposed']>[0]) => reader.readProposed(sent);
const byValue = (args: unknown) =>
  readArguments({ tenant_id, operation_id, args: args as Record<string, unknown>, args_ref: null });
const put = (text: string) => blobs.put(tenant_id, Buffer.from(text));
const byReference = async (text: string) =>
  readArguments({ tenant_id, operation_id, args: null, args_ref: await put(text) });
const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) });

describe('arguments', () => {
  it('mean the same by value and by reference', async () => {
    const [value, reference] = [await byValue({ b: 1, a: 'x' }), await byReference(' {"a": "x", "b": 1}')];
    expect(
      'canonical' in value && 'canonical' in reference && Buffer.compare(value.canonical, reference.canonical),
    ).toBe(0);
  });

  it.each([
    ['neither', null, 'args.invalid'],
    ['a list', [], 'args.invalid'],
    ['an unsafe integer', { n: 2 ** 53 }, 'args.invalid'],
    ['half a surrogate pair', { s: '\ud800' }, 'args.invalid'],
    ['NUL in a key', { 'a\0': 1 }, 'args.invalid'],
    ['nesting past the limit', nested(LIMITS.argsDepth.max), 'args.invalid'],
    ['too long a value', { s: 'x'.repeat(LIMITS.argsInlineBytes.max) }, 'args.too_large'],
  ])('by value are refused for %s', async (_what, args, code) => {
    expect(await byValue(args)).toMatchObject({ effect: 'refuse', code });
  });

  it.each([
    ['no JSON', '{', 'args.invalid'],
    ['a key twice', '{"a":1,"a":2}', 'args.invalid'],
    ['a text', '"a"', 'args.invalid'],
    ['null', 'null', 'args.invalid'],
    ['nesting past the limit', JSON.stringify(nested(LIMITS.argsDepth.max)), 'args.invalid'],
    ['too long a text', JSON.stringify({ s: 'x'.repeat(LIMITS.argsBytes.max) }), 'args.too_large'],
  ])('by reference are refused for %s', async (_what, text, code) => {
    expect(await byReference(text)).toMatchObject({ effect: 'refuse', code });
  });

  it('are accepted at the limits themselves', async () => {
    expect(await byValue(nested(LIMITS.argsDepth.max - 1))).toHaveProperty('canonical');
    expect(await byReference(JSON.stringify({ s: 'x'.repeat(LIMITS.argsBytes.max - 8) }))).toHaveProperty('canonical');
  });

  it("by reference are accepted only from the caller's tenant, with their hash and size", async () => {
    const ref = await put('{}');
    const refused = { effect: 'refuse', code: 'args.invalid' };
    expect(await readArguments({ tenant_id: newId('tenant'), operation_id, args: null, args_ref: ref })).toMatchObject(
      refused,
    );
    expect(await readArguments({ tenant_id, operation_id, args: null, args_ref: { ...ref, size: 1 } })).toMatchObject(
      refused,
    );
    expect(await readArguments({ tenant_id, operation_id, args: {}, args_ref: ref })).toMatchObject(refused);
  });

  it('that are sealed are read like others, and only for the call that they were sealed for', async () => {
    const args_key = randomBytes(32);
    const seal = { key: args_key, tenantId: tenant_id, operationId: operation_id, attempt: ARGUMENTS_ATTEMPT };
    const clear = Buffer.from(JSON.stringify({ s: 'x'.repeat(LIMITS.argsBytes.max - 8) }));
    const sent = async (stored: Uint8Array) => ({
      tenant_id,
      operation_id,
      args: null,
      args_ref: sealedRef(await blobs.put(tenant_id, stored)),
      args_key,
    });
    // As long as arguments may be: the seal doesn't count towards the limit.
    const good = await sent(sealContent(seal, 'args', clear));
    expect(await readArguments(good)).toMatchObject({ value: { s: expect.any(String) }, ref: good.args_ref });
    const refused = { effect: 'refuse', code: 'args.invalid' };
    const others = [
      clear,
      sealContent({ ...seal, operationId: newId('operation') }, 'args', clear),
      sealContent({ ...seal, attempt: 1 }, 'args', clear),
      sealContent(seal, 'result', clear),
      sealContent({ ...seal, key: randomBytes(32) }, 'args', clear),
    ];
    for (const stored of others) expect(await readArguments(await sent(stored))).toMatchObject(refused);
    expect(await readArguments({ ...good, args_ref: { ...good.args_ref, size: 1 } })).toMatchObject(refused);
    expect(await readArguments({ ...good, args_key: undefined })).toMatchObject(refused);
  });
});

const { argsValues, argsNames, argsBytes, argsInlineBytes } = LIMITS;
const zeros = (count: number) => Array.from({ length: count }, () => 0);
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, 0]));

describe('arguments hold so many values and names, and no more', () => {
  it.each([
    // The object, its member, and that list.
    [
      'values',
      { a: zeros(argsValues.max - 2) },
      { first: 1, a: zeros(argsValues.max - 2) },
      `${argsValues.max} values`,
      '/a',
    ],
    ['names', named(argsNames.max), named(argsNames.max + 1), `${argsNames.max} different names`, null],
    [
      'names in lists',
      { b: [named(argsNames.max - 1)] },
      { b: [named(argsNames.max)] },
      `${argsNames.max} different names`,
      '/b',
    ],
  ])('by value and by reference: %s', async (_, most, more, what, where) => {
    expect(await byValue(most)).toHaveProperty('canonical');
    expect(await byReference(JSON.stringify(most))).toHaveProperty('canonical');
    for (const refused of [await byValue(more), await byReference(JSON.stringify(more))]) {
      expect(refused).toMatchObject({
        effect: 'refuse',
        code: 'args.too_large',
        message: expect.stringContaining(what) as string,
        hint: expect.stringContaining('as files') as string,
      });
      if (where !== null) expect((refused as { message: string }).message).toContain(`\`${where}\``);
    }
  });

  it('but those of a call that was admitted once are read whatever their size is', async () => {
    const ref = await put(JSON.stringify({ a: zeros(argsValues.max) }));
    expect(await reader.readStored({ tenant_id, operation_id }, { args: null, args_ref: ref })).toHaveProperty(
      'canonical',
    );
    expect(await reader.readAdmittedValue({ tenant_id, operation_id }, { args: null, args_ref: ref })).toHaveProperty(
      'a',
    );
  });
});

/**
 * Milliseconds of processor time that the event loop may spend on one call's arguments, in several turns. Measured: 4
 * at most; when the event loop read them, up to 300.
 */
const LOOP_MS_MAX = 12;

describe('the longest arguments', () => {
  let pool: KernelPool;
  beforeAll(() => {
    pool = new KernelPool({ ...poolSizes(), filename: workerProgram('../../kernel.worker', import.meta.url) });
  });
  afterAll(() => pool.close());

  /** The event loop's processor time meanwhile, the least of some readings: other work shares its processor. */
  async function loopMs(read: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const before = process.threadCpuUsage();
      await read();
      const { user, system } = process.threadCpuUsage(before);
      times.push((user + system) / 1_000);
    }
    return Math.min(...times);
  }

  it.each(SHAPES)('take little of the event loop: %s', async (name, shape) => {
    const inThreads = new ArgumentsReader({ blobs, vault, work: pool });
    const text = textOf(shape, argsBytes.max);
    const args_ref = await put(text);
    const sent = { tenant_id, operation_id, args: null, args_ref };
    const answer = await inThreads.readProposed(sent);
    expect(answer).toEqual(await reader.readProposed(sent));
    expect('effect' in answer).toBe(!LONG.has(name));
    expect(await loopMs(() => inThreads.readProposed(sent))).toBeLessThan(LOOP_MS_MAX);
    const kept = { args: null, args_ref };
    // Arguments that were admitted before there were bounds are returned whole; such a call can't be proposed any more.
    if (LONG.has(name)) expect(await loopMs(() => inThreads.readStored(sent, kept))).toBeLessThan(LOOP_MS_MAX);
    const value = {
      ...sent,
      args_ref: null,
      args: JSON.parse(textOf(shape, argsInlineBytes.max)) as Record<string, unknown>,
    };
    expect(await inThreads.readProposed(value)).toEqual(await reader.readProposed(value));
    expect(await loopMs(() => inThreads.readProposed(value))).toBeLessThan(LOOP_MS_MAX);
  });

  it('that take too long are refused, and others of the tenant fail as `overloaded`', async () => {
    const fails = (error: Error) =>
      new ArgumentsReader({ blobs, vault, work: { run: () => Promise.reject(error) } as never });
    const args_ref = await put(textOf(SHAPES[0]![1], argsBytes.max));
    const sent = { tenant_id, operation_id, args: null, args_ref };
    expect(await fails(new Fault('limit.exceeded')).readProposed(sent)).toMatchObject({
      effect: 'refuse',
      code: 'args.too_large',
    });
    await expect(fails(new Fault('overloaded')).readProposed(sent)).rejects.toMatchObject({ code: 'overloaded' });
  });
});
