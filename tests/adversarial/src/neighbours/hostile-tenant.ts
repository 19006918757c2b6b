// SPDX-License-Identifier: Apache-2.0
import { makeWorld, type Answer, type JsonValue, type SharedStack, type World } from '@writ/stack';
import { fill } from './hostile-input.ts';
import { tarOf } from './archives.ts';

const MIB = 2 ** 20;
/** Longest wait for a call: a longer call is checked at the end. */
const CALL_MS = 20_000;
/** Number of files in the workspace whose deltas are long. */
export const MANY_FILES = 20_000;
/** The most lines of a text that the diff still compares; the two versions have no line in common. */
const LINES = 24_000;
const TEXTS = 4;

const linesOf = (salt: number): string =>
  Array.from({ length: LINES }, (_, n) => ((n * 7919 + salt * 104_729) % 999_983).toString(36)).join('\n');

/** A tenant with large files, two very different versions of them, and other data for hostile inputs. */
export class HostileTenant {
  readonly world: World;
  /** of the workspace with many files: before and with them */
  readonly many: { readonly workspaceId: string; readonly from: string; readonly to: string };
  /** of the workspace with texts that have nothing in common: before and after */
  readonly texts: { readonly workspaceId: string; readonly from: string };

  static async open(stack: SharedStack): Promise<HostileTenant> {
    const world = await makeWorld(stack.url, stack.keys.platformKey, {
      files: {
        'small.txt': 'one\n',
        'many.sh': `mkdir -p many; for i in $(seq ${MANY_FILES}); do echo > many/$i; done\n`,
      },
    });
    await putFile(world, 'a.txt', Buffer.alloc(4 * MIB, 'a'));
    await putFile(world, 'lines.txt', Buffer.from(fill('aaaaaaaaaaaaaaa\n', 4 * MIB)));
    await putFile(world, 'ab.txt', Buffer.alloc(8 * MIB, 'a'));
    return new HostileTenant(world, await manyFiles(world), await differingTexts(world));
  }

  private constructor(world: World, many: HostileTenant['many'], texts: HostileTenant['texts']) {
    this.world = world;
    this.many = many;
    this.texts = texts;
  }

  call(toolId: string, args: unknown): Promise<Answer<JsonValue>> {
    return this.world.call(toolId, args, {}, CALL_MS);
  }

  /** Cancels calls that have not ended. */
  async cancel(operationIds: readonly string[]): Promise<void> {
    await Promise.all(operationIds.map((id) => this.world.admin.post(`/v1/operations/${id}/cancel`, {})));
  }

  /** A request that must not fail with an internal error. */
  post(path: string, body: unknown, media = 'application/json'): Promise<Answer<JsonValue>> {
    return this.world.admin.post(path, body, { 'content-type': media });
  }

  /** Posts an output of a model as a turn. */
  turn(dialect: string, output: string, round: number): Promise<Answer<JsonValue>> {
    const { agentId, tokenId, workspaceId } = this.world;
    const body = {
      dialect,
      output,
      session_id: `${dialect}-${output.length}`,
      turn_id: `${round}-${output.length}`,
      agent_id: agentId,
      capability_token_id: tokenId,
      workspace_id: workspaceId,
    };
    return this.post(`/v1/turns?wait=${CALL_MS}`, body);
  }
}

async function putFile(world: World, path: string, bytes: Uint8Array): Promise<void> {
  const answer = await world.admin.request('PUT', `/v1/workspaces/${world.workspaceId}/files/${path}`, bytes, {
    'content-type': 'application/octet-stream',
  });
  if (answer.status >= 300) throw new Error(`\`${path}\` could not be put: ${answer.text}`);
}

async function newWorkspace(world: World, name: string): Promise<{ readonly id: string; readonly head: string }> {
  const { workspace_id, head_snapshot_id } = await world.admin.must('/v1/workspaces', { name });
  return { id: workspace_id as string, head: head_snapshot_id as string };
}

async function manyFiles(world: World): Promise<HostileTenant['many']> {
  const { id, head } = await newWorkspace(world, 'many');
  const archive = tarOf(Array.from({ length: MANY_FILES }, (_, n) => ({ name: `many/${n}`, content: String(n) })));
  const { status, body, text } = await world.admin.request('POST', `/v1/workspaces/${id}/import`, archive, {
    'content-type': 'application/x-tar',
  });
  if (status !== 200) throw new Error(`the files could not be imported: ${text}`);
  return { workspaceId: id, from: head, to: body.head_snapshot_id as string };
}

async function differingTexts(world: World): Promise<HostileTenant['texts']> {
  const { id } = await newWorkspace(world, 'texts');
  const put = (salt: number): Promise<JsonValue> =>
    world.admin.must(`/v1/workspaces/${id}/files`, {
      files: Array.from({ length: TEXTS }, (_, n) => ({ path: `t${n}.txt`, content: linesOf(salt + n) })),
    });
  const before = await put(1);
  await put(1_000);
  return { workspaceId: id, from: before.head_snapshot_id as string };
}
