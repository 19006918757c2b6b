// SPDX-License-Identifier: Apache-2.0
//
// A second, plain model of tokens: a small universe is listed in full, and a grant is the set
// of its members that the grant allows. Nothing here calls the code that it is compared with. Each universe has a name,
// `z`, that no generated pattern contains, so that a family is never the union of its listed members, as with
// all possible names. `aba` catches comparisons by substring.
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
const METHODS = ['GET', 'PUT', 'CONNECT', 'TCP'];
const PORTS = [80, 443, 993];
/** The ports of a grant that names none, by method. */
const USUAL: Readonly<Record<string, readonly number[]>> = { GET: [80, 443], PUT: [80, 443], CONNECT: [443], TCP: [] };
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

/** Two kinds, with names of which one begins with the other. */
const LISTED = ['info_store:a', 'info_store:ab', 'mailbox:a'];
/** With a name of each kind that only an entry for all of a kind covers. */
const RESOURCES = [...LISTED, 'info_store:z', 'mailbox:z'];

/** A grant and the workspace of its token. */
export interface Reach {
  readonly grant: Grant;
  readonly workspace_id: string | null;
}

/** Everything in the universe that is allowed, as an explicit list. */
export function allowed({ grant, workspace_id }: Reach): ReadonlySet<string> {
  const {
    tools,
    fs,
    net,
    secrets,
    profiles = [],
    resources = [],
    effects = [],
    budgets,
    not_before,
    expires_at,
  } = grant;
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
      HOSTS.flatMap((host) =>
        PORTS.filter((port) =>
          net.some(
            (one) =>
              one.methods.includes(method) &&
              hostMatches(one.domain, host) &&
              (one.ports ?? USUAL[method] ?? []).includes(port),
          ),
        ).map((port) => `${method} ${host} ${port}`),
      ),
    ),
    ...secrets.map((name) => `secret ${name}`),
    ...profiles.map((name) => `profile ${name}`),
    ...RESOURCES.filter((one) => resources.includes(one) || resources.includes(`${one.split(':')[0] ?? ''}:*`)).map(
      (one) => `resource ${one}`,
    ),
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

/** Grants of the universe. They have a period of validity, since without one every other dimension would be empty. */
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
      fc
        .record({
          domain: fc.oneof(
            spelled(2, '.').map((domain) => `*.${domain}`),
            spelled(3, '.'),
          ),
          methods: fc.subarray(METHODS),
          ports: fc.option(fc.subarray(PORTS, { minLength: 1 }), { nil: undefined }),
        })
        .map(({ ports, ...one }) => (ports === undefined ? one : { ...one, ports })),
    ),
    secrets: fc.subarray(['A', 'B', 'C']),
    profiles: fc.option(fc.subarray(['p', 'q', 'r']), { nil: undefined }),
    resources: fc.option(fc.subarray([...LISTED, 'mailbox:*', 'info_store:*']), { nil: undefined }),
    effects: fc.option(fc.subarray(['effect.lost_many', 'effect.history', 'effect.runs_later'] as const), {
      nil: undefined,
    }),
    budgets,
    time: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 2 })),
  })
  .map(({ time: [not_before, length], profiles, resources, effects, ...rest }) => ({
    ...rest,
    ...(resources === undefined ? {} : { resources }),
    ...(profiles === undefined ? {} : { profiles }),
    ...(effects === undefined ? {} : { effects: [...effects] }),
    not_before,
    expires_at: not_before + length,
  }));

export const workspaces: fc.Arbitrary<string | null> = fc.constantFrom(null, ...WORKSPACES.slice(0, 2));
