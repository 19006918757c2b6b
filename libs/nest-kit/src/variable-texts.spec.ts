// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { explainStart } from './boot-process.ts';
import { EnvironmentError, readEnvironment } from './read-environment.ts';
import { addressBlocks, DatabaseUrl, listenHost, named, ReadBy } from './variable-texts.ts';

const read = (property: ReturnType<typeof Type.String>, text: string) =>
  readEnvironment(Type.Object({ X: property }), { X: text });

test("an error of a variable's reader is reported beside the expected value", () => {
  const Blocks = ReadBy(Type.String({ description: 'blocks' }), addressBlocks);
  expect(read(Blocks, '10.0.0.0/8')).toEqual({ X: '10.0.0.0/8' });
  expect(() => read(Blocks, '10.0.0.0/8,ingress')).toThrow(
    'X is wrong: `ingress` is neither an address nor a CIDR block, such as 10.0.0.0/8; expected: blocks',
  );
});

test('the address of a database names a host or a socket, and is never repeated', () => {
  const Url = DatabaseUrl('writ_x');
  for (const text of ['postgres://u:p@h/db', 'postgresql:///db?host=/run'])
    expect(read(Url, text)).toEqual({ X: text });
  for (const text of [
    'postgres://',
    'postgres://u:swordfish#1@h/db',
    'postgres://u:swordfish@h:x/db',
    'mysql://swordfish',
  ])
    expect(() => read(Url, text)).toThrow(/^(?!.*swordfish)[\s\S]*X is wrong: .*role writ_x/);
});

test('an address to listen on has no port and no scheme', () => {
  for (const text of ['0.0.0.0', '::', 'localhost']) expect(() => listenHost(text)).not.toThrow();
  for (const text of ['0.0.0.0:80', 'http://x', '[::]', '256.0.0.1'])
    expect(() => listenHost(text)).toThrow(`\`${text}\` is neither`);
});

test('an error names its variable, once', () => {
  const failing = (message: string) => () =>
    named('X', () => {
      throw new Error(message);
    });
  expect(failing('no')).toThrow(new EnvironmentError(['X is wrong: no']));
  expect(failing('the file of `X` is empty')).toThrow(new EnvironmentError(['the file of `X` is empty']));
});

test('a failed start is explained without a stack, a defect with one', () => {
  const refused = new Error('nobody listens', {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  });
  expect(explainStart(refused)).toBe('nobody listens\n  because: connect ECONNREFUSED');
  expect(explainStart(new Error('`X`: no key', { cause: new Error('no key') }))).toBe('`X`: no key');
  expect(explainStart(new EnvironmentError(['X is not set']))).toBe(
    'the environment is not as it should be:\n  X is not set',
  );
  expect(explainStart(new TypeError('x is undefined'))).toMatch(/TypeError: x is undefined\n\s+at /);
});
