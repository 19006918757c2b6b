// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { makeLogger } from './logger.ts';
import { REDACTED } from './redact.ts';

const swordfish = 'swordfish';

function capture(): {
  readonly logger: ReturnType<typeof makeLogger>;
  lines(): Record<string, unknown>[];
  text(): string;
} {
  const chunks: string[] = [];
  const logger = makeLogger({
    service: 'kernel',
    version: '0.1.0',
    level: 'debug',
    destination: { write: (chunk: string) => void chunks.push(chunk) },
  });
  return {
    logger,
    text: () => chunks.join(''),
    lines: () => chunks.map((chunk) => JSON.parse(chunk) as Record<string, unknown>),
  };
}

test('a line has time, level, service and message', () => {
  const { logger, lines } = capture();
  logger.info({ operation_id: 'op_1', attempt: 2 }, 'dispatched');
  expect(lines()[0]).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    service: 'kernel',
    version: '0.1.0',
    operation_id: 'op_1',
    attempt: 2,
    msg: 'dispatched',
  });
});

test.each([
  'args',
  'arguments',
  'content',
  'command',
  'stdin',
  'stdout',
  'stderr',
  'result',
  'payload',
  'secrets',
  'password',
  'Authorization',
  'api_key',
  'apiKey',
  'args_salt',
  'private-key',
  'env',
  'edits',
])('the value of `%s` never reaches a line, at any depth', (name) => {
  const { logger, text } = capture();
  logger.info({ [name]: swordfish, call: { [name]: { deep: [swordfish] } }, list: [{ [name]: swordfish }] }, 'called');
  logger
    .child({ [name]: swordfish })
    .child({ [name]: swordfish })
    .warn('from a child of a child');
  expect(text()).not.toContain(swordfish);
  expect(text()).toContain(REDACTED);
});

test('an error shows kind, code, message and cause, and no other property that a library added', () => {
  const { logger, lines, text } = capture();
  const cause = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: swordfish,
    query: swordfish,
    parameters: [swordfish],
  });
  logger.error({ err: new Fault('database.unavailable', 'the pool is closed', { cause }) }, 'failed');
  expect(lines()[0]).toMatchObject({
    err: {
      type: 'Fault',
      code: 'database.unavailable',
      detail: 'the pool is closed',
      cause: { code: '23505', message: 'duplicate key' },
    },
  });
  expect(text()).not.toContain(swordfish);
});

test('no line has a character that a terminal interprets or hides, and each line keeps its text', () => {
  const { logger, lines, text } = capture();
  const said = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    .filter((each) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(each))
    .join('');
  logger.child({ tool_id: said }).info({ name: said }, said);
  expect(text().trimEnd()).not.toMatch(/[\p{Cc}\u061c\u200b-\u200f\p{Zl}\p{Zp}\u202a-\u202e\u2060-\u206f\ufeff]/u);
  expect(lines()[0]).toMatchObject({ tool_id: said, name: said, msg: said });
});

test('an error given alone is redacted alike', () => {
  const { logger, text } = capture();
  logger.error(Object.assign(new Error('failed'), { parameters: [swordfish] }));
  expect(text()).toContain('"message":"failed"');
  expect(text()).not.toContain(swordfish);
});

test('an entry stays one line: cycles, depth, bytes and long lists are cut', () => {
  const { logger, lines } = capture();
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  logger.info(
    {
      loop,
      buffer: new Uint8Array(10),
      list: Array.from({ length: 1_000 }, (_, index) => index),
      long: 'x'.repeat(100_000),
      big: 7n,
    },
    'odd',
  );
  expect(lines()[0]).toMatchObject({ buffer: '[10 bytes]', big: '7' });
  expect(JSON.stringify(lines()[0]).length).toBeLessThan(10_000);
});
