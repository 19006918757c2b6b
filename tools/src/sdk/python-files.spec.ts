// SPDX-License-Identifier: Apache-2.0
import { readApi } from './api-document.ts';
import { pythonFilesOf } from './python-files.ts';
import { docOf, modelOf, pythonLiteralOf, pythonNameOf, pythonTypeOf } from './python-type.ts';
import { methodsOf } from './route-facts.ts';
import { checkout } from '../setup.ts';

const files = await pythonFilesOf(checkout);
const made = (name: string): string => files.find(({ path }) => path.endsWith(`/${name}`))!.made;
const declared = (name: string): never => {
  throw new Error(`\`${name}\` was declared`);
};

test('the generated Python client matches the API: else run `node tools/with-node.mjs tools/src/sdk/main.ts`', () => {
  for (const { path, text, made: wanted } of files) expect([path, text]).toEqual([path, wanted]);
});

test.each(['groups.py', 'async_groups.py'])(
  '%s has every method of the TypeScript client, in snake_case',
  async (file) => {
    const methods = methodsOf(await readApi(checkout));
    const named = [...made(file).matchAll(/^ {4}(?:async )?def ([a-z]\w*)\(self, /gm)].map(([, name = '']) =>
      name.replace(/_$/, ''),
    );
    const wanted = methods.map(({ name }) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(named.toSorted()).toEqual(wanted.toSorted());
  },
);

test('both clients of Python have the same methods, but for what is awaited', () => {
  const plain = (text: string): string =>
    text.replaceAll(/async def|await |Async|_async/g, (word) => (word === 'async def' ? 'def' : ''));
  expect(plain(made('async_groups.py'))).toBe(made('groups.py'));
});

test('the models have no name that only a number tells from another', () => {
  const names = [...made('models.py').matchAll(/^class (\w+)/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(300);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => /\d$/.test(name ?? ''))).toEqual([]);
});

test.each([
  [{ type: 'string' }, 'str'],
  [{ type: ['string', 'null'] }, 'str | None'],
  [{ anyOf: [{ type: 'null' }, { const: 'a' }] }, 'Literal["a"] | None'],
  [{ anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] }, 'Annotated[Literal["a", "b"], OPEN] | None'],
  [{ enum: ['a', 'b'] }, 'Annotated[Literal["a", "b"], OPEN]'],
  [{ const: true }, 'Literal[True]'],
  [{ type: 'array', items: { type: 'array', items: { type: 'integer' } } }, 'list[list[int]]'],
  [{ $ref: '#/components/schemas/Record' }, 'RecordEntry'],
  [{}, 'Any'],
  [{ anyOf: [{ type: 'string' }, {}] }, 'Any'],
  [{ type: 'object', patternProperties: { '^.*$': { type: 'number' } } }, 'dict[str, float]'],
  [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'dict[str, bool]'],
])('the type of %j is %s', (schema, type) => {
  expect(pythonTypeOf(schema, 'Name', declared)).toBe(type);
});

test('an object within another is a model of its own, by the name of its place', () => {
  const models: string[] = [];
  const inner = { type: 'object', properties: { a: { type: 'string', description: 'say "a"\\n' } } };
  const outer = { properties: { in: inner, b_c: { type: 'string' } }, required: ['b_c'] };
  expect(modelOf('Outer', outer, (name) => models.push(name))).toBe(
    'class Outer(ApiObject):\n    b_c: str\n    in_: OuterIn | None = Field(default=None, alias="in")',
  );
  expect(models).toEqual(['OuterIn']);
  expect(modelOf('OuterIn', inner, declared)).toBe(
    `class OuterIn(ApiObject):\n    a: str | None = None\n    """say 'a'\\\\n"""`,
  );
});

test('names and texts of the document are no code', () => {
  expect(['list', 'inputSchema', 'x-y', 'model_x', 'class', 'plain'].map(pythonNameOf)).toEqual(
    ['list_', 'input_schema', 'x_y', 'model_x_', 'class_', 'plain'], // prettier-ignore
  );
  expect(() => pythonNameOf('1')).toThrow("can't be a name");
  expect(docOf('a"""\nb\\', '  ')).toEqual([`  """a''' b\\\\"""`]);
  expect(pythonLiteralOf({ a: [true, null, 'x"', 1.5] })).toBe('{"a": [True, None, "x\\"", 1.5]}');
});
