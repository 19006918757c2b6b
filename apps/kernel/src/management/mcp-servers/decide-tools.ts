// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type McpDecisionReply, type McpServerToolView } from '@writ/contract';
import { acceptedTool, defaultCategory, mcpToolId } from '@writ/mcp-tool';
import type { Changed, Changes } from '../../evidence/changes/index.ts';
import { requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { applyDrafts, lockTools, recordOf } from '../tool-registry/index.ts';
import { findServer } from './mcp-servers.ts';
import { stateOf } from './tool-state.ts';
import { definitionIn, type McpToolRow } from './tool-view.ts';
import { takeOut } from './tools-in-force.ts';

type Decision = KernelRequest<'mcp_server.refuse'>;
type Chosen = Decision['tools'][number];

/**
 * Accepts and refuses definitions of tools of MCP servers. INVARIANT (what was looked at): a decision is about the
 * definition whose digest it names, and about no later one.
 */
export class DecideMcpTools {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * Puts all of the tools into force with the definitions that were looked at, or none. A tool without a category gets
   * that of `defaultCategory`.
   * @throws Fault `auth.role`, `not_found`; `conflict` for a definition that is another by now, or for too many tools;
   * `args.invalid` for one that can't be accepted
   */
  async accept({ caller, name, tools }: KernelRequest<'mcp_server.accept'>): Promise<McpDecisionReply> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<McpDecisionReply>> => {
      await lockTools(rows, tenant_id);
      const server = await findServer(rows, tenant_id, name);
      const chosen = await chosenRows(rows, server, tools);
      const drafts = chosen.map(({ row, seen, category }, n) => {
        requireAcceptable(row, n);
        const definition = definitionIn(seen);
        const local = row.tool_id.slice(mcpToolId(name, '').length);
        return acceptedTool(server, local, definition, category ?? defaultCategory(definition));
      });
      for (const { row } of chosen) {
        const digests = { accepted: row.seen, accepted_digest: row.seen_digest, refused_digest: refusedBut(row) };
        await decide(rows, { ...row, ...digests }, api_key_id, now);
      }
      const { records } = await applyDrafts(rows, tenant_id, api_key_id, drafts);
      const accepted = chosen.map(({ row }) =>
        recordOf('mcp_tool_accepted', api_key_id, row.tool_id, row.seen_digest ?? ''),
      );
      return { value: replyOf(chosen, 'accepted'), records: [...accepted, ...records] };
    });
  }

  /**
   * Takes tools out of force, or leaves them so, for as long as their servers list the refused definitions.
   * @throws Fault `auth.role`, `not_found`; `conflict` for a definition that is another by now
   */
  async refuse({ caller, name, tools }: Decision): Promise<McpDecisionReply> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<McpDecisionReply>> => {
      await lockTools(rows, tenant_id);
      const { resource_id } = await findServer(rows, tenant_id, name);
      const chosen = await chosenRows(rows, { tenant_id, resource_id }, tools);
      for (const { row } of chosen) await decide(rows, { ...row, refused_digest: row.seen_digest }, api_key_id, now);
      const inForce = chosen.filter(({ row }) => row.state === 'accepted');
      const taken = await takeOut(
        rows,
        tenant_id,
        api_key_id,
        inForce.map(({ row }) => ({ tool_id: row.tool_id, verb: 'tool_removed' })),
      );
      const refused = chosen.map(({ row }) =>
        recordOf('mcp_tool_refused', api_key_id, row.tool_id, row.seen_digest ?? ''),
      );
      return { value: replyOf(chosen, 'refused'), records: [...refused, ...taken] };
    });
  }
}

interface ChosenRow {
  readonly row: McpToolRow;
  readonly seen: Uint8Array;
  readonly category: 'read' | 'write' | 'admin' | undefined;
}

/** The rows of the tools that a decision names. @throws Fault `not_found`, `conflict`, `request.malformed` */
async function chosenRows(
  rows: Rows,
  { tenant_id, resource_id }: { readonly tenant_id: string; readonly resource_id: string },
  tools: readonly (Chosen & { readonly category?: ChosenRow['category'] })[],
): Promise<ChosenRow[]> {
  const names = tools.map(({ name }) => name.replaceAll('\0', ''));
  if (new Set(names).size !== names.length)
    throw new Fault('request.malformed', 'a tool is named twice', { pointer: '/tools' });
  const found = await rows.mcp_tool.findMany({ where: { tenant_id, resource_id, remote_name: { in: names } } });
  const byName = new Map(found.map((row) => [row.remote_name, row]));
  return tools.map(({ digest, category }, n) => {
    const row = byName.get(names[n] ?? '');
    const pointer = `/tools/${String(n)}`;
    if (row === undefined)
      throw new Fault('not_found', 'the server lists no such tool', { pointer: `${pointer}/name` });
    if (row.seen === null || row.seen_digest !== digest)
      throw new Fault('conflict', `the server describes \`${row.tool_id}\` otherwise by now: look at it again`, {
        pointer: `${pointer}/digest`,
      });
    return { row, seen: row.seen, category };
  });
}

/** @throws Fault `args.invalid` */
function requireAcceptable({ tool_id, problems }: McpToolRow, n: number): void {
  const [first] = problems as unknown as McpServerToolView['problems'];
  if (first === undefined) return;
  const place = first.pointer === '' ? '' : ` at \`${first.pointer}\``;
  throw new Fault('args.invalid', `the definition of \`${tool_id}\` can not be accepted: it ${first.message}${place}`, {
    pointer: `/tools/${String(n)}`,
  });
}

/** The refused digest that stays once the seen definition is accepted. */
const refusedBut = ({ refused_digest, seen_digest }: McpToolRow): string | null =>
  refused_digest === seen_digest ? null : refused_digest;

async function decide(rows: Rows, row: McpToolRow, by: string, now: number): Promise<void> {
  const { tenant_id, resource_id, remote_name, accepted, accepted_digest, refused_digest } = row;
  await rows.mcp_tool.updateMany({
    where: { tenant_id, resource_id, remote_name },
    data: { accepted, accepted_digest, refused_digest, state: stateOf(row), decided_by: by, decided_at: BigInt(now) },
  });
}

const replyOf = (chosen: readonly ChosenRow[], state: McpServerToolView['state']): McpDecisionReply => ({
  tools: chosen.map(({ row: { remote_name, tool_id } }) => ({ remote_name, tool_id, state })),
});
