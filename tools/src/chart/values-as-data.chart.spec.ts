// SPDX-License-Identifier: Apache-2.0
// A value is a text and never YAML: no text in a value changes the structure of the rendered objects.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartTools, describeChart, exampleFile, PRODUCTION, SMALL } from './chart.contract.ts';
import { CHART, RenderError, renderObjects, type KubeObject } from './render.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}
const SCHEMA = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Schema;

/** A valid surrounding text, where a pattern requires one. */
const AROUND = [
  ['', ''],
  ['http://', ''],
  ['', ':1'],
] as const;

/** A place for a text in the values, with the text for it: null where the schema refuses it. */
interface Place {
  readonly path: readonly string[];
  readonly valueOf: (text: string) => unknown;
}

function placesIn(schema: Schema, path: readonly string[] = []): Place[] {
  const types = [schema.type].flat();
  if (schema.enum !== undefined) return [];
  if (types.includes('string')) return [{ path, valueOf: (text) => fitted(schema.pattern, text) }];
  if (types.includes('array') && schema.items?.type === 'string')
    return [{ path, valueOf: (text) => listOf(fitted(schema.items?.pattern, text)) }];
  // A map of texts, such as annotations, allows any name and any text.
  if (types.includes('object') && schema.properties === undefined)
    return [{ path, valueOf: (text) => ({ [text]: text }) }];
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => placesIn(each, [...path, name]));
}

function fitted(pattern: string | undefined, text: string): string | null {
  const wanted = new RegExp(pattern ?? '');
  return AROUND.map(([before, after]) => `${before}${text}${after}`).find((each) => wanted.test(each)) ?? null;
}
const listOf = (text: string | null): readonly string[] | null => (text === null ? null : [text]);

const PLACES = placesIn(SCHEMA);
const nameOf = ({ path }: Place): string => path.join('.');

type Tree = Record<string, unknown>;

/** The values with a text in each place. */
function valuesWith(places: readonly Place[], text: string): Tree {
  const values: Tree = {};
  for (const { path, valueOf } of places) {
    const value = valueOf(text);
    if (value === null) continue;
    const [last, ...above] = path.toReversed();
    let at = values;
    for (const name of above.toReversed()) at = (at[name] ??= {}) as Tree;
    at[last ?? ''] = value;
  }
  return values;
}

/**
 * The differences between the structures of two trees: each path, with the value in the second tree. The content of
 * texts is ignored.
 */
function differences(one: unknown, other: unknown, path = ''): string[] {
  if (isTree(one) && isTree(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) => differences(one[name], other[name], `${path}/${name}`));
  }
  const isSame = typeof one === 'string' ? typeof other === 'string' : one === other;
  return isSame ? [] : [`${path} is ${JSON.stringify(other)}`];
}
const isTree = (value: unknown): value is Tree => value !== null && typeof value === 'object';

const render = (example: string, places: readonly Place[], text: string): KubeObject[] =>
  renderObjects({ helm: chartTools().helm, files: [exampleFile(example)], values: valuesWith(places, text) });

/**
 * The places without the one that a refusal names. Where the refusal names a conflicting value, without its whole part
 * of the values.
 */
function leftBy({ message }: RenderError, places: readonly Place[]): readonly Place[] {
  const left = places.filter((place) => !message.includes(`\`${nameOf(place)}`));
  if (left.length < places.length) return left;
  const parts = new Set([...message.matchAll(/`(\w+)\./g)].map(([, part]) => part));
  return places.filter(({ path: [part] }) => !parts.has(part));
}

/** Renders with the text in every place that the chart accepts: places that its checks refuse are left out. */
function renderTaken(
  example: string,
  places: readonly Place[],
  text: string,
): { readonly taken: readonly Place[]; readonly objects: KubeObject[] } {
  let taken = places;
  for (;;) {
    try {
      return { taken, objects: render(example, taken, text) };
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      const left = leftBy(error, taken);
      if (left.length === taken.length) throw error;
      taken = left;
    }
  }
}

/** The same tree, with member names that contain the text replaced by `name`. */
function named(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map((each) => named(each, text));
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name === text ? 'name' : name, named(each, text)]),
  );
}

/** Texts with a special meaning in YAML or in templates. */
const TEXTS = [
  'a: b',
  'x\nevil: true',
  '---\na: 1',
  '# c',
  'a # c',
  '"',
  "'",
  '\\',
  '- x',
  '*a',
  '&a b',
  '!!int 1',
  '%x',
  '{',
  '[',
  '|',
  '{{ .Release.Name }}',
  'true',
  'null',
  '~',
  '1',
  '1e3',
  '0x1f',
  'no',
];
/** The places in each example. */
const TAKEN_MIN = 20;
/** A text without a special meaning. */
const PLAIN = 'plain';

describeChart('values as data', () => {
  test.each([SMALL, PRODUCTION, 'existing-keys-values.yaml'])(
    'no text changes the structure of the objects from %s',
    (example) => {
      let places = PLACES;
      for (const text of TEXTS) {
        const fits = places.filter(({ valueOf }) => valueOf(text) !== null && valueOf(PLAIN) !== null);
        const { taken, objects } = renderTaken(example, fits, text);
        // The chart's checks would refuse the same places again: this saves a rendering for each.
        const refused = fits.filter((place) => !taken.includes(place));
        places = places.filter((place) => !refused.includes(place));
        expect(taken.length).toBeGreaterThan(TAKEN_MIN);
        const plain = render(example, taken, PLAIN);
        expect({ text, at: differences(named(plain, PLAIN), named(objects, text)) }).toEqual({ text, at: [] });
      }
    },
  );
});
