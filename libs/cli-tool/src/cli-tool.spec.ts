// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, type CliToolSource } from '@writ/contract';
import { argvOf, commandLineOf, environmentOf, secretNamesOf } from './command.ts';
import { cliDefinition } from './definition.ts';
import { KUBECTL_APPLY, KUBECTL_GET, stored } from './sample.contract.ts';

const tool = (more: Partial<CliToolSource>): CliToolSource => ({
  name: 'x',
  description: 'X.',
  category: 'write',
  cmd: 'x',
  ...more,
});
const faults = (source: CliToolSource, args: unknown): string[] =>
  argumentFaults(cliDefinition(stored(source)), args).map(({ pointer, message }) => `${pointer} ${message}`);
const argv = (source: CliToolSource, args: Record<string, unknown>): string[] => argvOf(stored(source), args);

describe('the command of a call', () => {
  it('has optional arguments only if they are given, after the others and in the order of the file', () => {
    expect(argv(KUBECTL_GET, { resource: 'pods' })).toEqual(['kubectl', 'get', 'pods']);
    expect(argv(KUBECTL_GET, { resource: 'pods', namespace: 'a-b' })).toEqual(['kubectl', 'get', 'pods', '-n', 'a-b']);
    const two = tool({
      optional_args: { z: ['--z', '{{z}}'], a: ['--a={{a}}'] },
      parameters: { a: { type: 'integer', optional: true }, z: { type: 'string', optional: true } },
    });
    expect(argv(two, { a: 3, z: '' })).toEqual(['x', '--z', '', '--a=3']);
  });

  it('has a switch if its parameter is true, and an option with a boolean value whenever it is given', () => {
    const source = tool({
      optional_args: { force: ['--force'], color: ['--color={{color}}'] },
      parameters: { force: { type: 'boolean', optional: true }, color: { type: 'boolean', optional: true } },
    });
    expect(argv(source, { force: true, color: false })).toEqual(['x', '--force', '--color=false']);
    expect(argv(source, { force: false })).toEqual(['x']);
  });

  it('treats a value as text, even if it looks like a placeholder, a variable or a quote', () => {
    const source = tool({
      args: ['{{a}}', '{{b}}={{a}}'],
      parameters: { a: { type: 'string' }, b: { type: 'string' } },
    });
    expect(argv(source, { a: '{{b}} $HOME $(id) ; \'"`', b: '$& $1' })).toEqual([
      'x',
      '{{b}} $HOME $(id) ; \'"`',
      '$& $1={{b}} $HOME $(id) ; \'"`',
    ]);
  });

  it('is shown to approvers with every argument quoted', () => {
    const source = tool({ args: ['{{a}}'], parameters: { a: { type: 'string' } } });
    expect(commandLineOf(stored(source), { a: 'b; rm -rf ~' })).toBe("x 'b; rm -rf ~'");
    expect(commandLineOf(stored(source), { a: "it's" })).toBe("x 'it'\\''s'");
    expect(commandLineOf(stored(source), { a: '' })).toBe("x ''");
  });

  it('ignores inherited members of objects', () => {
    const source = tool({
      optional_args: { constructor: ['{{constructor}}'] },
      parameters: { constructor: { type: 'string' as const, optional: true } } as never,
    });
    expect(argv(source, {})).toEqual(['x']);
    expect(faults(source, {})).toEqual([]);
  });
});

describe('values', () => {
  it('are checked before use: type, choice, length, range, and no undeclared ones', () => {
    expect(faults(KUBECTL_GET, { resource: 'pods; rm -rf ~' })).toEqual([expect.stringContaining('/resource')]);
    expect(faults(KUBECTL_GET, { resource: 'pods', namespace: 7 })).toEqual(['/namespace must be string']);
    expect(faults(KUBECTL_GET, { resource: 'pods', more: 'x' })).toEqual([
      '/more is not known here; known here: `namespace`, `resource`',
    ]);
    expect(faults(KUBECTL_GET, {}).join()).toContain('resource');
    const ranged = tool({
      args: ['{{n}}', '{{t}}'],
      parameters: { n: { type: 'integer', minimum: 1, maximum: 9 }, t: { type: 'string', minLength: 2, maxLength: 3 } },
    });
    expect(faults(ranged, { n: 10, t: 'abc' })).toHaveLength(1);
    expect(faults(ranged, { n: 1.5, t: 'abcd' })).toHaveLength(2);
    expect(faults(ranged, { n: 9, t: 'abc' })).toEqual([]);
  });

  it('match a pattern as a whole, with or without anchors', () => {
    const source = tool({ args: ['{{a}}'], parameters: { a: { type: 'string', pattern: '[a-z]+|x' } } });
    expect(faults(source, { a: 'abc' })).toEqual([]);
    for (const a of ['abc;', ';abc', 'abc\n', '\nabc', ''])
      expect(faults(source, { a })).toEqual([expect.stringContaining('does not match')]);
    expect(faults(KUBECTL_APPLY, { file: 'a.yaml\n' })).toHaveLength(1);
  });

  it('that begin with `-` are refused unless the tool declares them, numbers too', () => {
    expect(faults(KUBECTL_APPLY, { file: '--all' })).toEqual([expect.stringContaining('begins with `-`')]);
    const number = tool({ args: ['{{n}}'], parameters: { n: { type: 'integer' } } });
    expect(faults(number, { n: -1 })).toHaveLength(1);
    const declared = tool({ args: ['{{n}}'], parameters: { n: { type: 'integer', leading_dash: true } } });
    expect(faults(declared, { n: -1 })).toEqual([]);
  });

  it('contain no NUL, and have at most 4,096 characters or the declared limit', () => {
    const source = tool({ args: ['{{a}}'], parameters: { a: { type: 'string' } } });
    expect(faults(source, { a: 'a\0b' })).toEqual(['/a holds NUL, which no argument of a program can']);
    expect(faults(source, { a: 'x'.repeat(4_096) })).toEqual([]);
    expect(faults(source, { a: 'x'.repeat(4_097) })).toHaveLength(1);
  });

  it('make a command of 64 KiB at most, however often a template repeats them', () => {
    const source = tool({ args: ['{{a}}'.repeat(20)], parameters: { a: { type: 'string' } } });
    expect(faults(source, { a: 'x'.repeat(3_000) })).toEqual([]);
    expect(faults(source, { a: 'x'.repeat(4_000) })).toEqual([' make a command of more than 65536 bytes']);
  });

  it('are matched in linear time by the largest accepted expression', () => {
    const source = tool({
      args: ['{{a}}'],
      parameters: { a: { type: 'string', pattern: '(x+x+)+y|([a-z]{0,30}){0,10}' } },
    });
    const before = process.cpuUsage();
    expect(faults(source, { a: 'x'.repeat(4_096) })).toHaveLength(1);
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});

describe('the environment of a call', () => {
  const source = tool({ env: { A: '${CLUSTER}', B: 'Bearer ${TOKEN}!', C: '$${HOME} $HOME', D: '' } });

  it('holds declared variables, secrets by name and literal text', () => {
    expect(secretNamesOf(stored(source, { CLUSTER: 'blue' }))).toEqual(['TOKEN']);
    expect(environmentOf(stored(source, { CLUSTER: 'blue' }), { TOKEN: 't$&${CLUSTER}' })).toEqual({
      A: 'blue',
      B: 'Bearer t$&${CLUSTER}!',
      C: '${HOME} $HOME',
      D: '',
    });
  });

  it("uses a variable's text unchanged, without references in it", () => {
    expect(environmentOf(stored(tool({ env: { A: '${X}' } }), { X: '${TOKEN}' }), {})).toEqual({ A: '${TOKEN}' });
  });

  it('is never made if one of its secrets is missing', () => {
    expect(() => environmentOf(stored(source, { CLUSTER: 'x' }), {})).toThrow('secret `TOKEN` was not handed over');
    expect(() => environmentOf(stored(tool({ env: { A: '${CONSTRUCTOR}' } })), {})).toThrow();
  });
});
