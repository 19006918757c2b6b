// SPDX-License-Identifier: Apache-2.0
// Paths that lead out of the workspace, by every tool, every file route, and links that a command created.
import { vi } from 'vitest';
import { isFaultCode } from '@writ/contract';
import { verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';
import { expectProblem, withTarget } from '../bad-input.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
withTarget((target) => {
  ({ stack, world } = target);
});

describe('a path that leads out of the workspace is refused, with a record', () => {
  const PATHS = [
    '../x',
    '..',
    'a/../../x',
    './../x',
    '/etc/passwd',
    '//etc/passwd',
    '/workspace/../etc/passwd',
    '/workspacex',
    'a\\..\\..\\x',
    'a/./b',
    'a//b',
    'a/',
    '~/x',
    '',
    ' ',
    'x'.repeat(5000),
    `${'d/'.repeat(2000)}x`,
    'nul\u0001',
    '\u202etxt',
  ];
  const TOOLS: readonly [string, (path: string) => JsonValue][] = [
    ['fs.read', (path) => ({ path })],
    ['fs.write', (path) => ({ path, content: 'x' })],
    ['fs.edit', (path) => ({ path, edits: [{ find: 'a', replace: 'b' }] })],
    [
      'fs.edit_files',
      (path) => ({
        files: [
          { path: 'src/a.txt', edits: [{ find: 'one', replace: 'x' }] },
          { path, edits: [{ find: 'a', replace: 'b' }] },
        ],
      }),
    ],
    ['fs.list', (path) => ({ path })],
    ['fs.search', (path) => ({ pattern: 'x', path })],
    ['shell.run', (cwd) => ({ command: 'true', cwd })],
  ];

  it.each(TOOLS)('%s', async (tool, args) => {
    for (const path of PATHS) {
      const { status, body } = await world.call(tool, args(path));
      const isFine = body?.status === 'ok';
      // A path may be odd and still inside; then the call succeeds or fails as usual.
      expect({ path: path.slice(0, 40), status, code: isFine || isFaultCode(body.error?.code) }).toEqual({
        path: path.slice(0, 40),
        status: 200,
        code: true,
      });
      if (/(^|\/)\.\.(\/|$)|^\/(?!workspace(\/|$))/.test(path)) {
        expect({ path, code: body.error.code }).toEqual({ path, code: 'path.escape' });
        const { record } = await verifiedReceipt(stack, world, body.operation_id as string);
        expect(record).toMatchObject({ verdict: 'refused', tool_id: tool });
      }
    }
  });

  it('an absolute path below /workspace is the same as the relative one', async () => {
    expect((await world.call('fs.read', { path: '/workspace/a.txt' })).body.result.content).toBe('one\n');
  });

  it('a file route refuses it too', async () => {
    for (const path of ['%2e%2e/x', 'a/%2e%2e/%2e%2e/x', '%2Fetc/passwd', 'a%00b', 'a%5c..%5cx']) {
      for (const [method, headers] of [
        ['GET', {}],
        ['PUT', { 'content-type': 'application/octet-stream' }],
        ['DELETE', {}],
      ] as const) {
        const answer = await world.admin.request(
          method,
          `/v1/workspaces/${world.workspaceId}/files/${path}`,
          method === 'PUT' ? new Uint8Array([1]) : undefined,
          headers,
        );
        if (answer.status >= 300) expectProblem(`${method} ${path}`, answer);
        else expect({ path, method }).toEqual({ path: 'a%5c..%5cx', method });
      }
    }
  });

  it("no tool follows a command's symlink out of the workspace", async () => {
    const made = await world.call('shell.run', {
      command:
        'mkdir -p links; cd links; ln -s /etc/passwd abs; ln -s ../../../etc/passwd rel; ln -s /proc/self/environ proc; ln -s ../a.txt fine; ln -s loop loop; ln -s / root; ln -s nowhere dangling',
    });
    expect(made.body).toMatchObject({ tx_outcome: 'committed' });
    for (const link of ['abs', 'rel', 'proc', 'loop', 'root/etc/passwd', 'dangling']) {
      for (const [tool, args] of TOOLS.slice(0, 3)) {
        const { status, body } = await world.call(tool, args(`links/${link}`));
        const isHarmless = tool === 'fs.write' && link === 'dangling';
        expect({ tool, link, status, said: body.status }).toEqual({
          tool,
          link,
          status: 200,
          said: isHarmless ? body.status : 'error',
        });
        if (body.status === 'error')
          expect({ tool, link, known: isFaultCode(body.error.code) }).toEqual({ tool, link, known: true });
        expect(JSON.stringify(body)).not.toContain('root:');
      }
    }
    expect((await world.call('fs.read', { path: 'links/fine' })).body).toMatchObject({
      status: 'ok',
      result: { content: 'one\n' },
    });
    // Through such a link a command reads its container's own files, and none of the host's.
    const { body } = await world.call('shell.run', { command: 'cat links/proc | tr "\\0" "\\n"' });
    expect(JSON.stringify(body)).not.toContain('WRIT_');
  });
});
