// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { GROUPS } from './command-groups.ts';
import { EXAMPLES } from './examples.ts';
import { wholeProgram } from './program.ts';
import { writ } from './specs/run-cli.ts';

let root: Command;
beforeAll(async () => {
  root = await wholeProgram({ write: () => undefined, writeError: () => undefined } as never);
});

/** The commands that take no verb: each is one itself, or a thing that there is only one of. */
const WITHOUT_PLURAL = new Set([
  ...['__complete', 'audio', 'call', 'chat', 'completion', 'doctor', 'erase', 'export', 'freeze', 'log', 'login'],
  ...['logout', 'mcp', 'mk8', 'open', 'retention', 'risk', 'settings', 'status', 'turn', 'unfreeze', 'usage', 'verify'],
  ...['whoami', 'witness'],
]);

test('every noun is in the singular, and its plural means the same', () => {
  for (const { name, plural } of GROUPS) {
    expect([name, plural === undefined]).toEqual([name, WITHOUT_PLURAL.has(name)]);
    if (plural === undefined) continue;
    expect(name).not.toMatch(/s$/);
    const found = root.commands.find((each) => each.aliases().includes(plural));
    expect(found?.name()).toBe(name);
  }
});

/** What guides and scripts of earlier versions say, by what it is called now. */
test.each([
  ['token issue', 'token create'],
  ['token show', 'token get'],
  ['policy put', 'policy create'],
  ['policy show', 'policy get'],
  ['policy template show', 'policy template get'],
  ['skill add', 'skill create'],
  ['job change', 'job update'],
  ['job show', 'job get'],
  ['sandbox register', 'sandbox create'],
  ['sandbox key add', 'sandbox key create'],
  ['mcp-server add', 'mcp-server create'],
  ['identity-providers put', 'identity-provider set'],
  ['operations show', 'operation get'],
  ['approvals show', 'approval get'],
  ['agents show', 'agent get'],
  ['tools show', 'tool get'],
  ['webhooks show', 'webhook get'],
  ['resource rm', 'resource delete'],
])('`writ %s` is an older spelling of `writ %s`, and is not shown', (old, now) => {
  const found = commandAt(old.split(' '));
  expect(pathOf(found)).toBe(`writ ${now}`);
  const help = found.parent!.helpInformation();
  expect(help).toContain(`  ${found.name()}`);
  expect(help).not.toMatch(new RegExp(`[|]|^  ${old.split(' ').at(-1)!}\\b`, 'm'));
});

function commandAt(words: readonly string[]): Command {
  return words.reduce<Command>((at, word) => {
    const found = at.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (found === undefined) throw new Error(`there is no \`${word}\` in ${words.join(' ')}`);
    return found as Command;
  }, root);
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

test('no command is called by an older verb', () => {
  const old: string[] = [];
  const look = (command: Command): void => {
    if (['show', 'issue', 'put', 'add', 'register', 'change', 'remove', 'rm'].includes(command.name()))
      old.push(pathOf(command));
    command.commands.forEach((each) => look(each as Command));
  };
  look(root);
  expect(old).toEqual([]);
});

const ALL = Object.values(EXAMPLES).flat();

test('each list of examples is of a command', () => {
  const names = GROUPS.map(({ name }) => name);
  expect(Object.keys(EXAMPLES).filter((name) => !names.includes(name))).toEqual([]);
});

/** Splits as a shell does, as far as examples need it. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, plain]) => one ?? two ?? plain ?? '');

test.each(ALL)('the example `%s` names commands and options that there are', (example) => {
  const [, text = ''] = /(?:^|\()(?=writ )(writ [^)>]*)/.exec(example) ?? [];
  const [program, ...words] = wordsOf(text);
  expect(program).toBe('writ');
  let command = root;
  for (const word of words) {
    const below = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (below === undefined) break;
    command = below as Command;
  }
  expect(command).not.toBe(root);
  const known = [command, root].flatMap(({ options }) => options.flatMap(({ long, short }) => [long, short]));
  for (const word of words.filter((each) => each.startsWith('-'))) expect(known).toContain(word);
});

test('the help of a command ends with its examples', async () => {
  const { out } = await writ(['token', '--help']);
  expect(out).toContain('\nExamples:\n  writ token create ');
  expect(ALL.length).toBeGreaterThan(30);
});
