// SPDX-License-Identifier: Apache-2.0
//
// What tokens mean, said a second time and in the plainest way: a small universe is spelled out, and a grant is the set
// of the things in it that it allows. Nothing here calls the code that it is compared with. Each universe has a name,
// `z`, that no generated pattern spells out, so that a family is never the sum of its listed members, as it isn't among
// all names there will ever be; `aba` catches whoever compares texts for parts.
import { BUDGET_DIMENSIONS, type Budgets, type FsRoot, type Grant } from '@writ/contract';
import fc from 'fast-check';

const NAMES = ['a', 'aba', 'z'];
const SPELLED = ['a', 'aba'];

/** Every sequence of one to `depth` of the names. */
function sequences(names: readonly string[], depth: number): string[][] {
  const shorter: string[][] = depth === 1 ? [[]] : [[], ...sequences(names, depth - 1)];
  return shorter.flatMap((start) => names.map((name) => [...start, name]));
}

export const TOOLS = sequences(NAMES, 3).map((names) => names.join('.'));
export const PATHS = ['', ...sequences(NAMES, 3).map((names) => names.join('/'))];
export const WORKSPACES = ['w1', 'w2', 'w3'];
const HOSTS = sequences(NAMES, 3).map((names) => names.join('.'));
const METHODS = ['GET', 'PUT', 'DELETE'];
const AMOUNTS = [0, 1, 2, 3];
const INSTANTS = [0, 1, 2, 3, 4, 5];

const toolMatches = (pattern: string, tool: string): boolean =>
  pattern === '*' ||
  (pattern.endsWith('.*')
    ? new RegExp(`^${pattern.slice(0, -2).replaceAll('.', '\\.')}\\..+$`).test(tool)
    : pattern === tool);
const hostMatches = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.')
    ? new RegExp(`^.+\\.${pattern.slice(2).replaceAll('.', '\\.')}$`).test(host)
    : pattern === host;
const isBelow = (root: string, path: string): boolean => {
  const [above, below] = [root, path].map((text) => text.split('/').filter((name) => name !== '')) as [
    string[],
    string[],
  ];
  return above.every((name, at) => below[at] === name);
};

/** A grant and the workspace that its token is bound to. */
export interface Reach {
  readonly grant: Grant;
  readonly workspace_id: string | null;
}

/** Everything in the universe that is allowed, spelled out. */
export function allowed({ grant, workspace_id }: Reach): ReadonlySet<string> {
  const { tools, fs, net, secrets, profiles = [], effects = [], budgets, not_before, expires_at } = grant;
  return new Set([
    ...TOOLS.filter((tool) => tools.some((pattern) => toolMatches(pattern, tool))).map((tool) => `tool ${tool}`),
    ...(['read', 'write'] as const).flatMap((access) =>
      PATHS.filter(
        (path) =>
          fs.some((root) => root.denied === undefined && root[access] && isBelow(root.path, path)) &&
          !fs.some((root) => root.denied === true && isBelow(root.path, path)),
      ).map((path) => `${access} ${path}`),
    ),
    ...METHODS.flatMap((method) =>
      HOSTS.filter((host) => net.some((one) => one.methods.includes(method) && hostMatches(one.domain, host))).map(
        (host) => `${method} ${host}`,
      ),
    ),
    ...secrets.map((name) => `secret ${name}`),
    ...profiles.map((name) => `profile ${name}`),
    ...effects.map((rule) => `effect ${rule}`),
    ...BUDGET_DIMENSIONS.flatMap((dimension) =>
      AMOUNTS.filter((amount) => amount <= (budgets[dimension] ?? Infinity)).map((amount) => `${amount} ${dimension}`),
    ),
    ...INSTANTS.filter((instant) => not_before <= instant && instant < expires_at).map((instant) => `at ${instant}`),
    ...WORKSPACES.filter((workspace) => workspace_id === null || workspace_id === workspace).map(
      (workspace) => `in ${workspace}`,
    ),
  ]);
}

export const isWithin = (inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean =>
  [...inner].every((one) => outer.has(one));

const few = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { maxLength: 3 });
const spelled = (depth: number, between: string): fc.Arbitrary<string> =>
  fc.constantFrom(...sequences(SPELLED, depth).map((names) => names.join(between)));
const roots: fc.Arbitrary<FsRoot> = fc
  .record({
    path: fc.oneof(fc.constant(''), spelled(3, '/')),
    read: fc.boolean(),
    write: fc.boolean(),
    denied: fc.constantFrom(undefined, undefined, true as const),
  })
  .map(({ denied, ...root }) => (denied === undefined ? root : { ...root, denied }));
const budgets: fc.Arbitrary<Budgets> = fc.record(
  Object.fromEntries(BUDGET_DIMENSIONS.map((dimension) => [dimension, fc.nat(2)])) as Record<
    keyof Budgets,
    fc.Arbitrary<number>
  >,
  { requiredKeys: [] },
);

/** Grants of the universe; a time that never comes would make every other dimension mean nothing. */
export const grants: fc.Arbitrary<Grant> = fc
  .record({
    tools: few(
      fc.oneof(
        fc.constant('*'),
        spelled(2, '.').map((family) => `${family}.*`),
        spelled(3, '.'),
      ),
    ),
    fs: few(roots),
    net: few(
      fc.record({
        domain: fc.oneof(
          spelled(2, '.').map((domain) => `*.${domain}`),
          spelled(3, '.'),
        ),
        methods: fc.subarray(METHODS),
      }),
    ),
    secrets: fc.subarray(['A', 'B', 'C']),
    profiles: fc.option(fc.subarray(['p', 'q', 'r']), { nil: undefined }),
    effects: fc.option(fc.subarray(['effect.lost_many', 'effect.history', 'effect.runs_later'] as const), {
      nil: undefined,
    }),
    budgets,
    time: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 2 })),
  })
  .map(({ time: [not_before, length], profiles, effects, ...rest }) => ({
    ...rest,
    ...(profiles === undefined ? {} : { profiles }),
    ...(effects === undefined ? {} : { effects: [...effects] }),
    not_before,
    expires_at: not_before + length,
  }));

export const workspaces: fc.Arbitrary<string | null> = fc.constantFrom(null, ...WORKSPACES.slice(0, 2));
