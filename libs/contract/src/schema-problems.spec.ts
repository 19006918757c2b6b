// SPDX-License-Identifier: Apache-2.0
import { Type, type TSchema } from 'typebox';
import { schemaProblems } from './schema-problems.ts';
import { argumentFaults, TOOLS } from './tools/registry.ts';

const textsOf = (schema: TSchema, value: unknown): string[] =>
  schemaProblems(schema, value).map(({ pointer, message }) => `${pointer} ${message}`);

const closed = { additionalProperties: false } as const;
const Address = Type.String({ pattern: '^[a-z]+@[a-z]+[.]example$', description: 'an address: `name@host.example`' });

describe('a problem of a schema', () => {
  it('of a set of words lists the words', () => {
    const schema = Type.Object({
      mode: Type.Enum(['on', 'off']),
      change: Type.Union([Type.Literal('a'), Type.Literal('b')]),
    });
    expect(textsOf(schema, { mode: 'x', change: 'x' })).toEqual([
      '/mode must be one of `on`, `off`',
      '/change must be one of `a`, `b`',
    ]);
  });

  it('of a pattern says what the description says', () => {
    expect(textsOf(Type.Object({ to: Address }), { to: 'grace' })).toEqual([
      '/to does not have the form that is expected here; expected: an address: `name@host.example`',
    ]);
    expect(textsOf(Type.String({ pattern: '^x$' }), 'y')).toEqual([' does not have the form that is expected here']);
  });

  it('of a union is that of the branch that fits best', () => {
    const schema = Type.Object({ to: Type.Union([Address, Type.Array(Address)]) });
    expect(textsOf(schema, { to: 'grace' })).toEqual([
      '/to does not have the form that is expected here; expected: an address: `name@host.example`',
    ]);
    expect(textsOf(schema, { to: ['ada@host.example', 'grace'] })).toEqual([
      '/to/1 does not have the form that is expected here; expected: an address: `name@host.example`',
    ]);
    expect(textsOf(schema, { to: 7 })).toEqual(['/to must be string or array']);
  });

  it('of a union of objects is that of the branch whose kind the value has', () => {
    const schema = Type.Array(
      Type.Union([
        Type.Object({ kind: Type.Literal('a'), n: Type.Integer() }, closed),
        Type.Object(
          { kind: Type.Literal('b'), at: Type.Union([Type.Null(), Type.Object({ url: Address }, closed)]) },
          closed,
        ),
      ]),
    );
    expect(
      textsOf(schema, [
        { kind: 'a', n: 'x' },
        { kind: 'b', at: { url: 'u', more: 1 } },
      ]),
    ).toEqual([
      '/0/n must be integer',
      '/1/at/more is not known here; known here: `url`',
      '/1/at/url does not have the form that is expected here; expected: an address: `name@host.example`',
    ]);
  });

  it('of an unknown member names the member that was meant, for the first eight of them', () => {
    const schema = Type.Object({ command: Type.String(), cwd: Type.Optional(Type.String()) }, closed);
    expect(textsOf(schema, { command: 'x', comand: 1 })).toEqual([
      '/comand is not known here; did you mean `command`?',
    ]);
    expect(textsOf(schema, { command: 'x', zzz: 1 })).toEqual(['/zzz is not known here; known here: `command`, `cwd`']);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_member, at) => [`unknown${at}`, 1]));
    const texts = textsOf(schema, { command: 'x', ...many });
    expect(texts.filter((text) => text.includes('known here: ')).length).toBeLessThanOrEqual(8);
  });

  it('of a member whose name has slashes finds its schema', () => {
    const schema = Type.Record(Type.String({ pattern: '^a/b$' }), Address, closed);
    expect(textsOf(schema, { 'a/b': 'x' })).toEqual([expect.stringContaining('expected: an address')]);
  });
});

/** Every pattern of a schema, however deep. */
function patternsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, member]) =>
    name === 'pattern' && typeof member === 'string' ? [member] : patternsOf(member),
  );
}

it.each([...TOOLS.values()].map((tool) => [tool.tool_id, tool] as const))(
  'no message about arguments of %s has a pattern of its schema',
  (_id, tool) => {
    const names = Object.keys((tool.parameters as { properties?: object }).properties ?? {});
    const patterns = patternsOf(tool.parameters);
    for (const value of ['\u0000', ' ', [' '], { name: ' ', value: '\n' }, [{ name: ' ', start: ' ' }], 7]) {
      const args = Object.fromEntries(names.map((name) => [name, value]));
      const messages = argumentFaults(tool, args).map(({ message }) => message);
      for (const message of messages) {
        expect(patterns.filter((pattern) => message.includes(pattern))).toEqual([]);
        expect(message).not.toMatch(/match pattern|anyOf|allowed values|schema is false/);
      }
    }
  },
);
