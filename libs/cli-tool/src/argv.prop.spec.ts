// SPDX-License-Identifier: Apache-2.0
import { argumentFaults } from '@writ/contract';
import fc from 'fast-check';
import { argvOf } from './command.ts';
import { cliDefinition } from './definition.ts';
import { stored } from './sample.contract.ts';

const TOOL = stored({
  name: 'x',
  description: 'X.',
  category: 'write',
  cmd: 'x',
  args: ['get', '{{a}}', '--b={{b}}', '--'],
  optional_args: { c: ['-c', '{{c}}'] },
  parameters: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string', optional: true } },
});
const DEFINITION = cliDefinition(TOOL);
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '; rm -rf ~',
    '$(id)',
    '`id`',
    "' '",
    '" "',
    '{{a}}',
    '{{c}}',
    '\n',
    '|| x',
    '-rf',
    '--',
    '*',
    '~',
    '$&',
    '\\',
  ),
);

test('a value fills only its placeholder: the number of arguments and every literal of the template stay', () => {
  fc.assert(
    fc.property(nasty, nasty, fc.option(nasty, { nil: undefined }), (a, b, c) => {
      const args = { a, b, ...(c === undefined ? {} : { c }) };
      fc.pre(argumentFaults(DEFINITION, args).length === 0);
      expect(argvOf(TOOL, args)).toEqual(['x', 'get', a, `--b=${b}`, '--', ...(c === undefined ? [] : ['-c', c])]);
    }),
    { numRuns: 500 },
  );
});

test('an accepted value never begins with `-` or contains NUL', () => {
  fc.assert(
    fc.property(nasty, (a) => {
      const taken = argumentFaults(DEFINITION, { a, b: '' }).length === 0;
      expect(taken).toBe(!a.startsWith('-') && !a.includes('\0'));
    }),
    { numRuns: 500 },
  );
});

test('arguments of any shape are checked without an exception', () => {
  fc.assert(
    fc.property(fc.anything(), (args) => {
      expect(Array.isArray(argumentFaults(DEFINITION, args))).toBe(true);
    }),
  );
});
