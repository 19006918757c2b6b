// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { isFaultCode } from '@writ/contract';
import {
  expectCleanLog,
  makeWorld,
  mustApproveShown,
  startStack,
  type JsonValue,
  type Stack,
  type StackOptions,
  type World,
} from '@writ/stack';

/** A fixture for hostile commands: a workspace of which they may write one part, read another, and not see a third. */
export class HostileWorld {
  readonly stack: Stack;
  readonly world: World;
  readonly #pids: number[];

  static async open(options: StackOptions = {}): Promise<HostileWorld> {
    const stack = await startStack(options);
    const world = await makeWorld(stack.url, stack.keys.platformKey, {
      files: { 'src/a.txt': 'one\n', 'docs/b.txt': 'two\n', 'private/c.txt': 'hidden\n' },
      fs: [
        { path: 'src', read: true, write: true },
        { path: 'docs', read: true, write: false },
      ],
    });
    return new HostileWorld(stack, world);
  }

  private constructor(stack: Stack, world: World) {
    this.stack = stack;
    this.world = world;
    this.#pids = this.#running();
  }

  /** Fails unless the log verifies. */
  async close(): Promise<void> {
    expectCleanLog(this.stack);
    await this.stack.stop();
  }

  run = async (command: string, over: Record<string, unknown> = {}): Promise<JsonValue> =>
    (await this.world.call('shell.run', { command, ...over }, {}, 55_000)).body;

  /** Runs a program that the risk table would refuse if it read it: from a file that an approved upload created. */
  async program(text: string, over: Record<string, unknown> = {}, interpreter = 'bash'): Promise<JsonValue> {
    const path = `src/p-${randomUUID()}`;
    await this.world.admin.must(`/v1/workspaces/${this.world.workspaceId}/files`, {
      files: [{ path, content: text, mode: '755' }],
    });
    return await this.approved(await this.run(`${interpreter} ${path}`, over));
  }

  /** The end of a call, after an approval where it needs one. */
  async approved(body: JsonValue): Promise<JsonValue> {
    if (body.state !== 'held') return body;
    await mustApproveShown(this.world.operator, body.approval_id);
    return (await this.world.until(body.operation_id as string, ['committed', 'rolled_back', 'no_op'], 90_000)).result;
  }

  /**
   * Asserts that every process is still the original one, that read-only files are unchanged, and that the next command
   * runs.
   */
  async expectUnharmed(): Promise<void> {
    expect(this.#running()).toEqual(this.#pids);
    expect([await this.world.file('docs/b.txt'), await this.world.file('private/c.txt')]).toEqual([
      'two\n',
      'hidden\n',
    ]);
    expect(await this.run('cat docs/b.txt')).toMatchObject({ status: 'ok', result: { output: 'two\n' } });
  }

  #running(): number[] {
    return Object.values(this.stack.services).map((service) => (service.isRunning ? service.pid : 0));
  }
}

/** Asserts that the call failed with one of the codes and that nothing of it was kept. */
export function expectEnded(body: JsonValue, ...codes: string[]): void {
  const code = body.error?.code as string;
  expect({
    status: body.status,
    code,
    isKnown: isFaultCode(code),
    isExpected: codes.length === 0 || codes.includes(code),
    tx_outcome: body.tx_outcome,
  }).toEqual({ status: 'error', code, isKnown: true, isExpected: true, tx_outcome: 'rolled_back' });
}
