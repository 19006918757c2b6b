// SPDX-License-Identifier: Apache-2.0
import { RESOURCE_KINDS, TOKEN_LISTED_KINDS, TOOLS, type Grant } from '@writ/contract';
import { nativeNameOf } from './aliases/native.ts';
import { DIALECTS, type DialectName } from './dialect.ts';
import { parse, prompt } from './dialects.ts';
import type { Offer } from './offer.ts';

const grant = (tools: string[], others: Partial<Grant> = {}): Grant => ({
  tools,
  fs: [
    { path: '', read: true, write: false },
    { path: 'src', read: true, write: true },
    { path: 'src/keys', read: false, write: false, denied: true },
  ],
  net: [{ domain: '*.example.com', methods: ['GET'] }],
  secrets: ['NPM_TOKEN'],
  budgets: {},
  not_before: 0,
  expires_at: 1,
  ...others,
});
const tools = [...TOOLS.values()];
const offer = (...chain: Grant[]): Offer => ({ tools, chain });
const textOf = (dialect: DialectName, of: Offer): string => JSON.stringify(prompt(dialect, of));
const namesOf = (dialect: DialectName, of: Offer): string[] => {
  const flat = (prompt(dialect, of).tools ?? []).flatMap((each) =>
    'functionDeclarations' in each ? (each.functionDeclarations as object[]) : [each],
  );
  return flat.map(
    (each) => ('function' in each ? (each.function as { name: string }) : (each as { name: string })).name,
  );
};

const NATIVE = {
  'fs.read': '"read_file"',
  'fs.write': '"write_file"',
  'shell.session': '"bash_session"',
  'web.fetch': '"web_fetch"',
};
/** The name of four tools in each dialect. */
const WORDS: Readonly<Record<DialectName, Readonly<Record<string, string>>>> = {
  blocks: {
    'fs.read': '- fs.read {',
    'fs.write': '- fs.write {',
    'shell.session': '- shell.session {',
    'web.fetch': 'access_website',
  },
  'tools-xml': {
    'fs.read': 'src=\\"package.json\\"',
    'fs.edit': '<edit><file src=\\"a.ts\\"><find>',
    'fs.edit_files': 'edits several files',
    'shell.session': '<command>',
    'value.get': '<get_value',
  },
  yips: {
    'fs.read': 'tool read_file {',
    'fs.write': 'preview_write_file {',
    'shell.session': 'skill virtual_terminal',
    'web.fetch': 'skill fetch',
  },
  openai: NATIVE,
  'openai-responses': NATIVE,
  anthropic: NATIVE,
  gemini: NATIVE,
};

describe.each([...DIALECTS])('%s', (dialect) => {
  it('names exactly the tools that every token of the chain grants', () => {
    for (const [id, word] of Object.entries(WORDS[dialect])) {
      expect(textOf(dialect, offer(grant(['*'])))).toContain(word);
      expect(textOf(dialect, offer(grant(['*']), grant([id])))).toContain(word);
      expect(
        textOf(dialect, offer(grant(['*']), grant(Object.keys(WORDS[dialect]).filter((other) => other !== id)))),
      ).not.toContain(word);
      expect(textOf(dialect, offer())).not.toContain(word);
    }
  });

  it('has the token’s scope, and the instruction to stop if a person must decide', () => {
    const { system } = prompt(
      dialect,
      offer(grant(['*'], { fs: [{ path: 'elsewhere', read: true, write: true }] }), grant(['fs.*'])),
    );
    for (const said of [
      'You may write: `src`.',
      'Never at or below: `src/keys`.',
      '`*.example.com (GET)`',
      '`NPM_TOKEN`',
      'a person must decide',
    ])
      expect(system).toContain(said);
    expect(system).not.toContain('elsewhere');
    expect(system).toMatch(/no further (?:tool|action)/);
  });

  it('offers searches of the web if there is an engine', () => {
    const offered = textOf(dialect, {
      tools,
      chain: [grant(['*'])],
      resources: [{ kind: 'search_engine', name: 'papers' }],
    });
    expect(offered).toMatch(/query_search_engine|skill search \{|"web_search"|- web\.search \{/);
    expect(offered).toContain('Registered resources of the kind search engine: `papers`.');
  });

  it('lists the skills if every token of the chain grants reading them', () => {
    const skills = [{ name: 'release', description: 'How to make a release.' }];
    const told = (chain: Grant[], of = skills): string => prompt(dialect, { tools, chain, skills: of }).system;
    const says = '- "release": "How to make a release."';
    for (const chain of [[grant(['*'])], [grant(['*']), grant(['skill.read'])]]) expect(told(chain)).toContain(says);
    for (const none of [
      told([grant(['fs.*'])]),
      told([grant(['*']), grant(['fs.*'])]),
      told([grant(['*'])], []),
      told([]),
    ])
      expect(none).not.toMatch(/release|guidance that administrators uploaded\. Before/);
  });

  it('offers nothing that is not available yet', () => {
    expect(textOf(dialect, offer(grant(['*'])))).not.toMatch(
      /web\.search|skill search|access_container|container_access|manage_agent/,
    );
  });
});

it('providers get the schemas of the registry', () => {
  const resources = RESOURCE_KINDS.map((kind) => ({ kind, name: 'one' }));
  const listed = TOKEN_LISTED_KINDS.map((kind) => `${kind}:*`);
  const all = grant(['*'], { profiles: ['ops'], resources: listed });
  expect(namesOf('openai', { ...offer(all), resources })).toEqual([...TOOLS.keys()].sort().map(nativeNameOf));
  for (const dialect of ['openai-responses', 'anthropic', 'gemini'] as const)
    expect(namesOf(dialect, offer(grant(['*'])))).toEqual(namesOf('openai', offer(grant(['*']))));
  expect(prompt('anthropic', offer(grant(['fs.read']))).tools).toEqual([
    {
      name: 'read_file',
      description: TOOLS.get('fs.read')?.description,
      input_schema: JSON.parse(JSON.stringify(TOOLS.get('fs.read')?.parameters)) as unknown,
    },
  ]);
  expect(prompt('gemini', offer()).tools).toEqual([]);
});

it('mk8.shell and the dangerous shell are described once they exist', () => {
  const [some] = tools;
  if (some === undefined) throw new Error('no tools');
  const { system } = prompt('blocks', {
    tools: [
      { ...some, tool_id: 'mk8.run' },
      { ...some, tool_id: 'shell.dangerous' },
    ],
    chain: [grant(['mk8.run'])],
  });
  expect(system).toContain('"sandboxId"');
  expect(system).toContain('mk8.shell runs a JSON script');
  expect(system).not.toContain('shellType');
  const raw = { ...some, tool_id: 'shell.dangerous' };
  const told = (...profiles: (readonly string[] | undefined)[]): string =>
    prompt('blocks', {
      tools: [raw],
      chain: profiles.map((named) => ({
        ...grant(['shell.*']),
        ...(named === undefined ? {} : { profiles: [...named] }),
      })),
    }).system;
  expect(told(['ops'])).toContain('shellType');
  expect(told(['ops'])).toContain('Execution profiles for raw commands: `ops`');
  for (const none of [told(undefined), told([]), told(['ops'], undefined), told(undefined, ['ops'])])
    expect(none).not.toContain('shellType');
});

it('the example in a prompt is a valid envelope', () => {
  const { system } = prompt('yips', offer(grant(['*'])));
  expect(parse('yips', system)).toMatchObject({ calls: [{ tool_id: 'fs.read' }], problems: [] });
});
