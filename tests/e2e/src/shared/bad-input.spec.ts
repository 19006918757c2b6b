// SPDX-License-Identifier: Apache-2.0
// Bad input gets a clear answer with a code of the fault table, a record where it was a call, and harms nothing.
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { vi } from 'vitest';
import { isFaultCode } from '@writ/contract';
import type { Answer, JsonValue, Observer, SharedStack, World } from '@writ/stack';
import { expectProblem, withTarget } from '../bad-input.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let observer: Observer;
withTarget((target) => {
  ({ stack, world, observer } = target);
});

const callBody = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  tool_id: 'fs.write',
  args: { path: 'x.txt', content: 'x' },
  capability_token_id: world.tokenId,
  workspace_id: world.workspaceId,
  idempotency_key: randomUUID(),
  ...over,
});
const raw = (
  text: string | Uint8Array,
  path = '/v1/tool-calls',
  headers: Record<string, string> = {},
): Promise<Answer<JsonValue>> =>
  world.agent.request('POST', path, text, { 'content-type': 'application/json', ...headers });

describe("a body that isn't I-JSON never becomes an operation", () => {
  const text = (): string => JSON.stringify(callBody());
  const operations = () =>
    observer.rows('SELECT count(*) FROM kernel.operation WHERE tenant_id = $1', [world.tenantId]);
  const cases: readonly [string, () => string | Uint8Array, readonly string[]][] = [
    ['nothing', () => '', ['request.malformed']],
    ['half of it', () => text().slice(0, -20), ['request.malformed']],
    ['something after it', () => `${text()} x`, ['request.malformed']],
    ['no JSON', () => 'tool_id=fs.write', ['request.malformed']],
    ['a byte order mark', () => `\ufeff${text()}`, ['request.malformed']],
    ['an array', () => '[]', ['request.malformed']],
    ['a scalar', () => '42', ['request.malformed']],
    ['null', () => 'null', ['request.malformed']],
    ['a key twice', () => text().replace('{', '{"tool_id":"fs.read",'), ['request.malformed']],
    ['a key twice, deep', () => text().replace('"path":', '"path":"y.txt","path":'), ['request.malformed']],
    [
      'a key twice, once escaped',
      () => text().replace('"path":', '"p\\u0061th":"y.txt","path":'),
      ['request.malformed'],
    ],
    ['an unknown field', () => JSON.stringify(callBody({ surprise: 1 })), ['request.malformed']],
    ['`__proto__`', () => text().replace('{', '{"__proto__":{"tool_id":"fs.read"},'), ['request.malformed']],
    ['NUL', () => JSON.stringify(callBody({ args: { path: 'x.txt', content: 'a\0b' } })), ['request.malformed']],
    [
      'NUL in a key',
      () => JSON.stringify(callBody({ args: { path: 'x.txt', content: 'a', 'b\0': 1 } })),
      ['request.malformed'],
    ],
    ['a lone surrogate', () => text().replace('"x"', '"\\ud800"'), ['request.malformed']],
    ['a lone low surrogate', () => text().replace('"x"', '"\\udc00"'), ['request.malformed']],
    ['an unsafe integer', () => text().replace('"x"', '9007199254740993'), ['request.malformed']],
    ['an infinite number', () => text().replace('"x"', '1e999'), ['request.malformed']],
    [
      "bytes that aren't UTF-8",
      () => Buffer.concat([Buffer.from(text().slice(0, -2)), Buffer.from([0xff, 0xfe, 0x22, 0x7d])]),
      ['request.malformed'],
    ],
    ['UTF-16', () => Buffer.from(text(), 'utf16le'), ['request.malformed']],
    ['10,000 levels', () => text().replace('"x"', `${'['.repeat(10_000)}${']'.repeat(10_000)}`), ['request.malformed']],
    ['10,000 levels that never close', () => '['.repeat(10_000), ['request.malformed']],
    ['a million levels', () => '{"a":'.repeat(300_000), ['request.malformed']],
    [
      '33 levels of arguments',
      () => text().replace('"x"', `${'['.repeat(33)}${']'.repeat(33)}`),
      ['request.malformed'],
    ],
    [
      '10 MiB of arguments',
      () => text().replace('"x"', `"${'x'.repeat(10 * 1024 * 1024)}"`),
      ['request.too_large', 'args.too_large'],
    ],
    ['1.5 MiB of arguments', () => text().replace('"x"', `"${'x'.repeat(1.5 * 1024 * 1024)}"`), ['args.too_large']],
  ];

  it.each(cases)('%s', async (what, make, codes) => {
    const before = await operations();
    expectProblem(what, await raw(make()), codes);
    expect(await operations()).toEqual(before);
  });

  it('names the place in the body', async () => {
    const { body } = await raw(JSON.stringify(callBody({ args: { path: 'x.txt', content: 'a\0b' } })));
    expect(body.pointer).toBe('/args/content');
  });
});

describe("a request that isn't one", () => {
  /** Sends any bytes as the request target. */
  const target = (path: string, method = 'GET'): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(stack.url);
      const sent = httpRequest(
        { hostname, port, path, method, headers: { authorization: `Bearer ${String(world.admin.key)}` } },
        (response) => {
          const parts: Buffer[] = [];
          response
            .on('data', (part: Buffer) => parts.push(part))
            .on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
        },
      );
      sent.on('error', reject).end();
    });

  it('gets 404, 405, 415 or 400 as a problem', async () => {
    expectProblem('unknown route', await world.admin.get('/v1/nothing-here'), ['route.unknown']);
    expectProblem('root', await world.admin.get('/'), ['route.unknown']);
    expectProblem('method', await world.admin.request('PATCH', '/v1/agents'), ['request.method_not_allowed']);
    expectProblem('media type', await raw('<call/>', '/v1/tool-calls', { 'content-type': 'application/xml' }), [
      'request.unsupported_media_type',
    ]);
    expectProblem('form', await raw('a=b', '/v1/tool-calls', { 'content-type': 'application/x-www-form-urlencoded' }), [
      'request.unsupported_media_type',
    ]);
    expectProblem('unknown query', await world.admin.get('/v1/operations?surprise=1'), ['query.invalid']);
    expectProblem('query twice', await world.admin.get('/v1/operations?limit=1&limit=2'), ['query.invalid']);
    expectProblem('limit', await world.admin.get('/v1/operations?limit=201'), ['query.invalid']);
    expectProblem('cursor', await world.admin.get('/v1/operations?cursor=%00'), ['query.invalid']);
    expectProblem(
      'made-up cursor',
      await world.admin.get(`/v1/operations?cursor=${Buffer.from('{"at":"x"}').toString('base64url')}`),
      ['query.invalid'],
    );
    expectProblem(
      'keys that differ',
      await world.agent.post('/v1/tool-calls', callBody(), { 'idempotency-key': 'other' }),
      ['request.malformed'],
    );
    for (const path of [
      '/v1/agents/%',
      '/v1/agents/%zz',
      '/v1/agents/%00',
      '/v1/agents/%ff',
      `/v1/workspaces/${world.workspaceId}/files/%00`,
      `/v1/workspaces/${world.workspaceId}/files/a%ff`,
      '//v1/agents',
      '/v1//agents',
      `/v1/agents/${'a'.repeat(10_000)}`,
    ]) {
      const { status, text } = await target(path);
      expect({
        path: path.slice(0, 60),
        is4xx: status >= 400 && status < 500,
        code: isFaultCode((JSON.parse(text || '{}') as JsonValue).code),
      }).toEqual({ path: path.slice(0, 60), is4xx: true, code: true });
    }
  });

  it('a client that disconnects within a body harms nobody', async () => {
    const { hostname, port } = new URL(stack.url);
    await new Promise<void>((resolve) => {
      const sent = httpRequest({
        hostname,
        port,
        path: '/v1/tool-calls',
        method: 'POST',
        headers: {
          authorization: `Bearer ${String(world.agent.key)}`,
          'content-type': 'application/json',
          'content-length': '1000',
        },
      });
      sent.on('error', () => resolve()).on('close', () => resolve());
      sent.write('{"tool_id":', () => sent.destroy());
    });
  });
});
