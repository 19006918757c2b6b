// SPDX-License-Identifier: Apache-2.0
// Sandboxes of mk8.shell that a tenant registers and signs: what they add to scripts, and what they refuse.
import { generateKeyPairSync } from 'node:crypto';
import { vi } from 'vitest';
import { signSandbox } from '@writ/mk8-shell';
import { parseSigner } from '@writ/signing';
import {
  eventually,
  mustApproveShown,
  approveShown,
  freezeUntilUnassigned,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { op, outputs, ScriptStack, type Ran, type Step } from './mk8-scripts.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let scripts: ScriptStack;
let stack: Stack;
let world: World;
beforeAll(async () => {
  scripts = await ScriptStack.start();
  ({ stack, world } = scripts);
});
afterAll(() => scripts?.stop());
beforeEach(() => scripts.clearReceived());

const run = (script: unknown, over: Record<string, unknown> = {}, args: Record<string, unknown> = {}): Promise<Ran> =>
  scripts.run(script, over, args);

describe('a registered sandbox', () => {
  const registrar = parseSigner(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  );
  const within = { sandbox: 'build' };
  const DEFINITION = {
    fragments: { greet: [op('FileWrite', 'greeting.txt', 'hello $WHO')] },
    rules: {
      blacklist: [{ id: 'own.word', kind: 'word', pattern: 'plutonium', scope: 'everywhere', reason: 'is not ours' }],
    },
    enabled_templates: ['git.init', 'git.add', 'git.commit', 'git.status'],
  };
  let signedAt = Date.now();

  async function sign(environment: string): Promise<void> {
    const { tenant_id, definition_digest } = (await world.admin.get('/v1/sandboxes/build')).body as {
      tenant_id: string;
      definition_digest: string;
    };
    const envelope = signSandbox(
      { v: 1, tenant_id, sandbox: 'build', definition_digest, environment, signed_at: signedAt++ },
      registrar,
    );
    expect((await world.admin.request('PUT', '/v1/sandboxes/build/signature', { envelope })).body).toMatchObject({
      problem: null,
    });
  }
  const register = async (definition: object): Promise<void> => {
    expect(
      (
        await world.admin.request('PUT', '/v1/sandboxes', {
          name: 'build',
          workspace_id: world.workspaceId,
          ...definition,
        })
      ).body,
    ).toMatchObject({ valid: true });
  };

  /** The end of a call, after an approval where it needs one. */
  async function approved({ state, approval_id, operation_id }: JsonValue): Promise<JsonValue> {
    if (state === 'held') await mustApproveShown(world.operator, approval_id);
    const ended = await eventually(
      `the end of ${operation_id as string}`,
      async () => {
        const { body } = await world.operator.get(`/v1/operations/${operation_id as string}`);
        // An approval of the command doesn't cover a finding of its effect, such as a hook.
        if (body.state === 'held' && body.approval_id !== approval_id)
          await approveShown(world.operator, body.approval_id);
        return ['committed', 'rolled_back', 'refused', 'no_op'].includes(body.state as string) ? body : null;
      },
      60_000,
    );
    expect(ended.state).toBe('committed');
    return ended.result as JsonValue;
  }
  const command = async (line: string): Promise<JsonValue> =>
    await approved((await world.call('shell.run', { command: line })).body);

  it('that is unknown or unsigned fails with the command that registers or signs it', async () => {
    const { body } = await run({ operations: [op('Echo', 'x')] }, {}, within);
    expect(body).toMatchObject({
      status: 'error',
      error: {
        code: 'sandbox.unknown',
        message: expect.stringContaining('writ sandbox register build'),
        hint: expect.stringContaining('tell the person'),
      },
    });
    await world.admin.must('/v1/registrar-keys', { public_key: registrar.publicJwk });
    await register(DEFINITION);
    expect((await run({ operations: [op('Echo', 'x')] }, {}, within)).body).toMatchObject({
      error: { code: 'sandbox.unverified', message: expect.stringContaining('writ sandbox sign build') },
    });
    await sign('# who is greeted\nWHO=world\n');
  });

  it("has its fragments and signed environment, in the container and in the script's analysis", async () => {
    const { body, steps } = await run(
      { operations: [op('Include', 'greet'), op('EnvGet', 'WHO'), op('FileRead', 'greeting.txt'), op('Mk8Info')] },
      {},
      within,
    );
    expect(body).toMatchObject({
      tx_outcome: 'committed',
      reasons: expect.arrayContaining([expect.objectContaining({ code: 'sandbox.signed' })]),
    });
    expect(outputs(steps)).toEqual([
      expect.stringContaining('greeting.txt'),
      'world',
      'hello world',
      expect.stringContaining('sandbox: build'),
    ]);
    expect(await world.file('greeting.txt')).toBe('hello world');
    expect((await run({ operations: [op('Include', 'greet')] })).body).toMatchObject({
      error: { code: 'args.invalid' },
    });
  });

  it('refuses blacklisted text before anything runs, and in values that are filled in at run time', async () => {
    expect((await run({ operations: [op('FileWrite', 'never.txt', 'plutonium')] }, {}, within)).body).toMatchObject({
      status: 'error',
      error: { code: 'args.invalid', message: expect.stringContaining('is not ours') },
    });
    const { steps } = await run(
      { operations: [{ ...op('TextReverse', 'muinotulp'), captureAs: 'WORD' }, op('FileWrite', 'never.txt', '$WORD')] },
      {},
      within,
    );
    expect(steps[1]).toMatchObject({ status: 'failed', error: expect.stringContaining('is not ours') });
    expect(await world.file('never.txt')).toBeNull();
  });

  it('lets ProcRun use only its enabled templates; git runs, and a planted hook does not', async () => {
    const plant =
      "git init -q -b feature/x . && printf '#!/bin/sh\\ntouch /workspace/HOOK-RAN\\n' > .git/hooks/pre-commit && cp .git/hooks/pre-commit .git/hooks/post-commit && chmod 755 .git/hooks/pre-commit .git/hooks/post-commit";
    await command(plant);
    expect((await run({ operations: [op('ProcRun', 'git', 'log')] }, {}, within)).body).toMatchObject({
      error: { code: 'args.invalid' },
    });
    const { body } = await run(
      {
        operations: [
          op('ProcRun', 'git', 'add', 'a.txt'),
          op('ProcRun', 'git', 'commit', '-m', 'one'),
          op('ProcRun', 'git', 'status', '--short'),
        ],
      },
      {},
      within,
    );
    const { result } = (await approved(body)) as { result: { steps: readonly Step[] } };
    expect(result.steps.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    expect(await world.file('HOOK-RAN')).toBeNull();
    // The planted file is a working hook: a plain git runs it.
    await command('git -c user.name=x -c user.email=x@x.example commit -q --allow-empty -m two');
    expect(await world.file('HOOK-RAN')).toBe('');
  });

  it('that is signed anew ends an admitted script, and makes a held one stale', async () => {
    await freezeUntilUnassigned(stack.services.executor);
    const { body } = await world.call(
      'mk8.run',
      { script: { operations: [op('Include', 'greet')] }, ...within },
      { capability_token_id: scripts.token },
      0,
    );
    await sign('WHO=somebody\n');
    stack.services.executor.thaw();
    const ended = await world.until(body.operation_id as string, ['rolled_back', 'committed', 'no_op']);
    expect(ended).toMatchObject({
      state: 'rolled_back',
      result: {
        error: { code: 'tool.changed', message: expect.stringContaining('`build` was changed or signed anew') },
      },
    });
    const held = await run({ operations: [op('HttpPut', 'http://b.outside.example/put', '$WHO')] }, {}, within);
    expect(held.body.state).toBe('held');
    await sign('WHO=else\n');
    await approveShown(world.operator, held.body.approval_id);
    expect(await world.until(held.body.operation_id as string, ['refused', 'committed', 'no_op'])).toMatchObject({
      state: 'refused',
      result: { error: { code: 'approval.stale' } },
    });
    expect([await world.file('greeting.txt'), scripts.received]).toEqual(['hello world', []]);
  });

  it("can't be registered, signed or removed by an agent", async () => {
    const answers = await Promise.all([
      world.agent.request('PUT', '/v1/sandboxes', { name: 'build', workspace_id: world.workspaceId }),
      world.agent.request('PUT', '/v1/sandboxes/build/signature', { envelope: {} }),
      world.agent.request('DELETE', '/v1/sandboxes/build'),
      world.agent.get('/v1/sandboxes/build'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});
