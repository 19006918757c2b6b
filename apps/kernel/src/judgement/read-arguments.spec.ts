// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { memoryBlobs } from '@writ/blobs';
import { LIMITS } from '@writ/contract';
import { ARGUMENTS_ATTEMPT, sealContent, sealedRef } from '@writ/nest-kit';
import { newId } from '../store/index.ts';
import { readArguments } from './read-arguments.ts';

const blobs = memoryBlobs();
const [tenant_id, operation_id] = [newId('tenant'), newId('operation')];
const byValue = (args: unknown) => readArguments(blobs, { tenant_id, operation_id, args: args as Record<string, unknown>, args_ref: null });
const put = (text: string) => blobs.put(tenant_id, Buffer.from(text));
const byReference = async (text: string) => readArguments(blobs, { tenant_id, operation_id, args: null, args_ref: await put(text) });
const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) });

describe('arguments', () => {
  it('mean the same by value and by reference', async () => {
    const [value, reference] = [await byValue({ b: 1, a: 'x' }), await byReference(' {"a": "x", "b": 1}')];
    expect('canonical' in value && 'canonical' in reference && Buffer.compare(value.canonical, reference.canonical)).toBe(0);
  });

  it.each([
    ['neither', null, 'args.invalid'], ['a list', [], 'args.invalid'], ['an unsafe integer', { n: 2 ** 53 }, 'args.invalid'], ['half a surrogate pair', { s: '\ud800' }, 'args.invalid'],
    ['NUL in a key', { 'a\0': 1 }, 'args.invalid'], ['nesting past the limit', nested(LIMITS.argsDepth.max), 'args.invalid'],
    ['too long a value', { s: 'x'.repeat(LIMITS.argsInlineBytes.max) }, 'args.too_large'],
  ])('by value are refused for %s', async (_what, args, code) => {
    expect(await byValue(args)).toMatchObject({ effect: 'refuse', code });
  });

  it.each([
    ['no JSON', '{', 'args.invalid'], ['a key twice', '{"a":1,"a":2}', 'args.invalid'], ['a text', '"a"', 'args.invalid'], ['null', 'null', 'args.invalid'],
    ['nesting past the limit', JSON.stringify(nested(LIMITS.argsDepth.max)), 'args.invalid'], ['too long a text', JSON.stringify({ s: 'x'.repeat(LIMITS.argsBytes.max) }), 'args.too_large'],
  ])('by reference are refused for %s', async (_what, text, code) => {
    expect(await byReference(text)).toMatchObject({ effect: 'refuse', code });
  });

  it('take the limits themselves', async () => {
    expect(await byValue(nested(LIMITS.argsDepth.max - 1))).toHaveProperty('canonical');
    expect(await byReference(JSON.stringify({ s: 'x'.repeat(LIMITS.argsBytes.max - 8) }))).toHaveProperty('canonical');
  });

  it('by reference are of the caller\'s tenant, of the hash and of the size', async () => {
    const ref = await put('{}');
    const refused = { effect: 'refuse', code: 'args.invalid' };
    expect(await readArguments(blobs, { tenant_id: newId('tenant'), operation_id, args: null, args_ref: ref })).toMatchObject(refused);
    expect(await readArguments(blobs, { tenant_id, operation_id, args: null, args_ref: { ...ref, size: 1 } })).toMatchObject(refused);
    expect(await readArguments(blobs, { tenant_id, operation_id, args: {}, args_ref: ref })).toMatchObject(refused);
  });

  it('that are sealed mean what they say, and are those of the call that they were sealed for', async () => {
    const args_key = randomBytes(32);
    const seal = { key: args_key, tenantId: tenant_id, operationId: operation_id, attempt: ARGUMENTS_ATTEMPT };
    const clear = Buffer.from(JSON.stringify({ s: 'x'.repeat(LIMITS.argsBytes.max - 8) }));
    const sent = async (stored: Uint8Array) => ({ tenant_id, operation_id, args: null, args_ref: sealedRef(await blobs.put(tenant_id, stored)), args_key });
    // As long as arguments may be: that they are sealed costs nothing of it.
    const good = await sent(sealContent(seal, 'args', clear));
    expect(await readArguments(blobs, good)).toMatchObject({ value: { s: expect.any(String) }, ref: good.args_ref });
    const refused = { effect: 'refuse', code: 'args.invalid' };
    const others = [clear, sealContent({ ...seal, operationId: newId('operation') }, 'args', clear), sealContent({ ...seal, attempt: 1 }, 'args', clear), sealContent(seal, 'result', clear), sealContent({ ...seal, key: randomBytes(32) }, 'args', clear)];
    for (const stored of others) expect(await readArguments(blobs, await sent(stored))).toMatchObject(refused);
    expect(await readArguments(blobs, { ...good, args_ref: { ...good.args_ref, size: 1 } })).toMatchObject(refused);
    expect(await readArguments(blobs, { ...good, args_key: undefined })).toMatchObject(refused);
  });
});
