// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type McpDecisionReply, type McpServerToolView } from '@writ/contract';
import type { TaskRunner } from '@writ/worker-pool';
import type { Changed, Changes } from '../../evidence/changes/index.ts';
import { requireRole, type Rows, type Tenancy } from '../../foundation/tenancy/index.ts';
import { applyDrafts, lockTools, recordOf } from '../tool-registry/index.ts';
import type { ManagementTasks } from '../worker-tasks.ts';
import { DraftsByDigest, readDefinitions, type DefinitionsToAccept } from './accepted-definitions.ts';
import { findServer } from './mcp-servers.ts';
import { stateOf } from './tool-state.ts';
import { categoriesOf, categoryUnlessGiven, type McpToolRow } from './tool-view.ts';
import { serverOfTools, takeOut } from './tools-in-force.ts';

type Decision = KernelRequest<'mcp_server.refuse'>;
type Chosen = Decision['tools'][number];

/** The bound, in milliseconds, on reading the definitions that are accepted at once in a thread. */
const READ_WALL_MS = 10_000;

/**
 * Accepts and refuses definitions of tools of MCP servers. INVARIANT (what was looked at): a decision is about the
 * definition whose digest it names, and about no later one.
 */
export class DecideMcpTools {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #work: TaskRunner<ManagementTasks> | null;

  /** @param work null: definitions are read on the event loop, for programs of one user and for specs */
  constructor(tenancy: Tenancy, changes: Changes, work: TaskRunner<ManagementTasks> | null = null) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#work = work;
  }

  /**
   * Puts all of the tools into force with the definitions that were looked at, or none. A tool without a category gets
   * that of `categoryUnlessGiven`.
   * @throws Fault `auth.role`, `not_found`; `conflict` for a definition that is another by now, or for too many tools;
   * `args.invalid` for one that can't be accepted
   */
  async accept({ caller, name, tools }: KernelRequest<'mcp_server.accept'>): Promise<McpDecisionReply> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    // A definition is read by its digest, which the transaction asserts. So nobody waits for locks while it is read.
    const read = await this.#drafts(tenant_id, name, tools);
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<McpDecisionReply>> => {
      await lockTools(rows, tenant_id);
      const server = await findServer(rows, tenant_id, name);
      const chosen = await chosenRows(rows, server, tools, isListed);
      const categories = await categoriesOf(
        rows,
        tenant_id,
        chosen.map(({ row }) => row.tool_id),
      );
      const drafts = chosen.map(({ row, category }, n) => {
        requireAcceptable(row, n);
        const draft = read.of(row, serverOfTools(server));
        const unlessGiven = categoryUnlessGiven(draft, categories.get(row.tool_id) ?? null);
        return { ...draft, server_digest: server.digest, category: category ?? unlessGiven };
      });
      for (const { row } of chosen) {
        const digests = { accepted: row.seen, accepted_digest: row.seen_digest, refused_digest: refusedBut(row) };
        await decide(rows, { ...row, ...digests }, api_key_id, now);
      }
      const { records } = await applyDrafts(rows, tenant_id, api_key_id, drafts);
      const accepted = chosen.map(({ row }) =>
        recordOf('mcp_tool_accepted', api_key_id, row.tool_id, row.seen_digest ?? ''),
      );
      const decided = chosen.map(({ row }) => ({ ...row, state: 'accepted' }));
      return { value: replyOf(decided), records: [...accepted, ...records] };
    });
  }

  /** The tools of the definitions that the caller names, as far as the server lists them. @throws Fault `not_found` */
  async #drafts(tenantId: string, name: string, tools: readonly Chosen[]): Promise<DraftsByDigest> {
    const input = await this.#tenancy.within(tenantId, async (rows): Promise<DefinitionsToAccept> => {
      const server = await findServer(rows, tenantId, name);
      const { resource_id } = server;
      const found = await rows.mcp_tool.findMany({
        where: { tenant_id: tenantId, resource_id, seen_digest: { in: tools.map((tool) => tool.digest) } },
        select: { tool_id: true, seen: true, problems: true },
      });
      return {
        server: serverOfTools(server),
        tools: found.flatMap(({ tool_id, seen, problems }) =>
          seen === null || (problems as unknown as readonly object[]).length > 0 ? [] : [{ tool_id, bytes: seen }],
        ),
      };
    });
    const options = { tenantId, wallMs: READ_WALL_MS };
    return new DraftsByDigest(
      this.#work === null ? readDefinitions(input) : await this.#work.run('mcp.definitions', input, options),
      input.server.asks,
    );
  }

  /**
   * Takes tools out of force, or leaves them so, for as long as their servers list the refused definitions. The
   * definition is the one that the server lists, or the accepted one: a refusal ends its acceptance. INVARIANT (what
   * was looked at): a refused definition comes into force by no listing, only by a later acceptance.
   * @throws Fault `auth.role`, `not_found`; `conflict` for a definition that is another by now
   */
  async refuse({ caller, name, tools }: Decision): Promise<McpDecisionReply> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id } = caller;
    return await this.#changes.make(tenant_id, async (rows, now): Promise<Changed<McpDecisionReply>> => {
      await lockTools(rows, tenant_id);
      const { resource_id } = await findServer(rows, tenant_id, name);
      const chosen = await chosenRows(rows, { tenant_id, resource_id }, tools, isListedOrAccepted);
      const decided = chosen.map(({ row, digest }) => {
        const after = refusedIn(row, digest);
        return { ...after, state: stateOf(after) };
      });
      for (const row of decided) await decide(rows, row, api_key_id, now);
      const inForce = chosen.filter(({ row, digest }) => row.state === 'accepted' && row.seen_digest === digest);
      const taken = await takeOut(
        rows,
        tenant_id,
        api_key_id,
        inForce.map(({ row }) => ({ tool_id: row.tool_id, verb: 'tool_removed' })),
      );
      const refused = chosen.map(({ row, digest }) => recordOf('mcp_tool_refused', api_key_id, row.tool_id, digest));
      return { value: replyOf(decided), records: [...refused, ...taken] };
    });
  }
}

interface ChosenRow {
  readonly row: McpToolRow;
  /** of the definition that was looked at */
  readonly digest: string;
  readonly category: 'read' | 'write' | 'admin' | undefined;
}

const isListed = ({ seen_digest }: McpToolRow, digest: string): boolean => seen_digest === digest;
const isListedOrAccepted = (row: McpToolRow, digest: string): boolean =>
  isListed(row, digest) || row.accepted_digest === digest;

/** The rows of the tools that a decision names. @throws Fault `not_found`, `conflict`, `request.malformed` */
async function chosenRows(
  rows: Rows,
  { tenant_id, resource_id }: { readonly tenant_id: string; readonly resource_id: string },
  tools: readonly (Chosen & { readonly category?: ChosenRow['category'] })[],
  isKnown: (row: McpToolRow, digest: string) => boolean,
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
    if (!isKnown(row, digest))
      throw new Fault('conflict', `the server describes \`${row.tool_id}\` otherwise by now: look at it again`, {
        pointer: `${pointer}/digest`,
      });
    return { row, digest, category };
  });
}

/** @throws Fault `args.invalid` for a definition with problems */
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

/** The row once the definition of that digest is refused. */
function refusedIn(row: McpToolRow, digest: string): McpToolRow {
  const none = row.accepted_digest === digest ? { accepted: null, accepted_digest: null } : {};
  // The refusal of the definition that is listed stays where another one's acceptance ends.
  const isKept = row.seen_digest !== digest && row.state === 'refused';
  return { ...row, ...none, refused_digest: isKept ? row.refused_digest : digest };
}

async function decide(rows: Rows, row: McpToolRow, by: string, now: number): Promise<void> {
  const { tenant_id, resource_id, remote_name, accepted, accepted_digest, refused_digest } = row;
  await rows.mcp_tool.updateMany({
    where: { tenant_id, resource_id, remote_name },
    data: { accepted, accepted_digest, refused_digest, state: stateOf(row), decided_by: by, decided_at: BigInt(now) },
  });
}

const replyOf = (decided: readonly McpToolRow[]): McpDecisionReply => ({
  tools: decided.map(({ remote_name, tool_id, state }) => ({
    remote_name,
    tool_id,
    state: state as McpServerToolView['state'],
  })),
});
