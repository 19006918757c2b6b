// SPDX-License-Identifier: Apache-2.0
// One conversation in ToolsXML from its first task to its last word, with the examples of the protocol: edits of two
// files, reads, a search, a variable that a person gives, a prompt that is answered, and a process that is interrupted.
import { vi } from 'vitest';
import { mustApproveShown, type JsonValue } from '@writ/stack';
import { Talk, type Step } from './talk.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const TOKEN = 'marker-4e19-of-a-person';
const FILES = {
  'package.json': '{"name": "karyi-agent"}\n',
  'src/config.ts': 'const API_URL = "http://localhost:3000";\n',
  'README.md': '# Project Alpha\n\nThis is a private project.\n',
  'install.sh': 'printf installed > .installed\n',
  'build.sh': 'test -e .installed && printf built > out.txt && echo "built in $PWD with $MODE"\n',
  'publish.sh':
    'printf "Are you sure? (y/n) "; read -r answer; printf "%s %s" "$answer" "${#NPM_TOKEN}" > published.txt; echo "published: $NPM_TOKEN"\n',
};
const tools = (inside: string): string => `<tools>\n${inside}\n</tools>`;

let talk: Talk;
beforeAll(async () => {
  talk = await Talk.open('talk-tools-xml', FILES);
});
afterAll(async () => {
  await talk?.close();
});

const STEPS: readonly Step[] = [
  ({ system }) => {
    expect(system).toContain('<command>npm install\nnpm run build</command>');
    return `I look first.\n${tools('<!-- what there is -->\n<read>\n<file src="package.json"/>\n<file src="src/"/>\n</read>')}`;
  },
  ({ last }) => {
    expect(last).toMatch(/status="ok"[^]*karyi-agent[^]*status="ok"[^]*src\/config\.ts/);
    return tools(`<edit>
  <!-- one replacement in one file -->
  <file src="src/config.ts">
    <find>const API_URL = "http://localhost:3000";</find>
    <replace>const API_URL = "https://api.production.com";</replace>
  </file>
  <!-- several in another -->
  <file src="README.md">
    <find>Project Alpha</find>
    <replace>Project Karyi</replace>
    <find>This is a private project.</find>
    <replace>This is an open-source project.</replace>
  </file>
</edit>`);
  },
  ({ last }) => {
    expect(last.match(/<edit [^>]*status="ok"/g)).toHaveLength(1);
    return tools(`<command>
  export MODE=release
  sh install.sh
</command>
<command>
  sh build.sh
</command>
<read><search src="src/" pattern="production\\.com" regex="true"/></read>`);
  },
  ({ last }) => {
    expect(last).toContain('built in /workspace with release');
    expect(last).toMatch(/<search [^>]*status="ok"|part="search" status="ok"/);
    return `It is built, and I need a token.\n${tools(
      '<get_value key="NPM_TOKEN" reason="Publishing a package needs authentication." note="for publishing karyi-agent"/>',
    )}`;
  },
  ({ last }) => {
    expect(last).toContain('status="ok"');
    expect(last).not.toContain(TOKEN);
    return tools('<command>sh publish.sh $KARYI{NPM_TOKEN}</command>');
  },
  // A shell might run its argument. The hint names the way that is left.
  ({ last }) => {
    expect(last).toMatch(/status="denied"[^]*`NAME=\$KARYI\{…\}` before it/);
    return tools('<command>NPM_TOKEN=$KARYI{NPM_TOKEN} sh publish.sh</command>\n<input>y\\n</input>');
  },
  ({ last }) => {
    expect(last).toContain('Are you sure? (y/n)');
    expect(last).toContain('published: ***NPM_TOKEN***');
    return tools('<command>cat</command>\n<ctrl>C</ctrl>\n<command>echo "$MODE still"</command>');
  },
  ({ last }) => {
    expect(last).toMatch(/exit_code="130"[^]*release still/);
    return tools('<get_value key="CHANNEL" reason="To write it down." secret="false"/>');
  },
  () =>
    tools(
      '<edit><file src="README.md"><find># Project Karyi</find><replace># Project Karyi ($KARYI{CHANNEL}), as $$KARYI{CHANNEL}</replace></file></edit>',
    ),
  ({ last }) => {
    expect(last).toContain('status="ok"');
    return tools(
      '<edit><file src="README.md"><find>absent</find><replace>x</replace></file></edit>\n<shout>now</shout>',
    );
  },
  ({ last }) => {
    expect(last).toMatch(/status="error"[^]*status="error"/);
    return 'It is built and published; one edit found nothing.';
  },
];

it('a conversation in ToolsXML edits, runs, asks, answers and ends, and every receipt verifies', async () => {
  const { world } = talk;
  const capability_token_id = await talk.token({ tools: ['fs.*', 'shell.session', 'value.get'] });
  const session = await talk.session({ capability_token_id, dialect: 'tools-xml' });
  const asked: JsonValue[] = [];
  const held: string[] = [];
  const decide = async ({ approval_id, tool_id }: JsonValue): Promise<void> => {
    if (tool_id !== 'value.get') {
      held.push(tool_id as string);
      await mustApproveShown(world.operator, approval_id);
      return;
    }
    const { args } = (await world.operator.get(`/v1/approvals/${approval_id as string}`)).body;
    asked.push(args);
    const value = args.key === 'NPM_TOKEN' ? TOKEN : 'stable';
    await world.operator.must(`/v1/approvals/${approval_id as string}/value`, { value, scope: 'session' });
  };
  const run = await talk.run(session, 'Point it at production, build it and publish it.', STEPS, decide);
  expect(run).toMatchObject({ stopped: 'end', rounds: STEPS.length, error: null });
  expect(asked).toMatchObject([
    { key: 'NPM_TOKEN', note: 'for publishing karyi-agent' },
    { key: 'CHANNEL', secret: false },
  ]);
  // What is published can't be taken back: a person is asked.
  expect(held).toEqual(['shell.session']);
  expect(await world.file('src/config.ts')).toBe('const API_URL = "https://api.production.com";\n');
  expect(await world.file('README.md')).toBe(
    '# Project Karyi (stable), as $KARYI{CHANNEL}\n\nThis is an open-source project.\n',
  );
  expect([await world.file('out.txt'), await world.file('published.txt')]).toEqual(['built', `y ${TOKEN.length}`]);
  expect((await world.auditor.get(`/v1/sessions/${session}/transcript`)).text).not.toContain(TOKEN);
  const ends = await talk.verified(session);
  expect(ends.filter(([, end]) => end === 'committed').map(([tool]) => tool)).toEqual([
    'fs.edit_files',
    'shell.session',
    'shell.session',
    'shell.session',
    'fs.edit',
  ]);
});
