// SPDX-License-Identifier: Apache-2.0
//
// Files that change in two steps: a change is staged, looked at, and applied by its token. INVARIANT (decided as it
// is): what is applied is the write or edit itself, proposed like any other, so its digest, its decision and its record
// are those of a direct one. Staging is a dry run of it and a reading of the file, both on the record.
import { isUtf8 } from 'node:buffer';
import type { BlobStore } from '@writ/blobs';
import { Fault, isFinal, type Caller, type OperationView, type ToolResult } from '@writ/contract';
import { outcomeOf, type Args, type DialectCall, type Outcome } from '@writ/dialects';
import { parseIJson } from '@writ/digest';
import type { EditArgs } from '@writ/workspace';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import type { ProposeInOrder, Ran } from '../../calls/propose-in-order.ts';
import type { WaitOptions } from '../../calls/propose.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import { COMPARED_BYTES_MAX, type ChangePreview, type StagedText } from '../../calls/diffs/preview-change.ts';
import { PREVIEW_CHANGE } from '../../calls/tasks.ts';
import type { WorkerTasks } from '../../edge/work/worker-tasks.ts';
import type { StagedTokens } from './staged-token.ts';
import { callOf, keyOf, type Turn } from './turn-call.ts';

/** How long a token is good, as the document of the dialect says. */
const TOKEN_MS = 600_000;
const ARGS_DEPTH_MAX = 32;
/** What the tool for reading says where there is nothing. */
const NOTHING_THERE = 'file.not_found';
/** In the place of a diff. */
const TOO_LONG = 'the change is too long to show';
const NO_TEXT = 'the file that is there is no text';

/** What became of a call that a model made: what it is told, the operation behind it, and what it was in the end. */
export interface Came {
  readonly outcome: Outcome;
  readonly view: OperationView | null;
  /** the operation's result, where that is what the model is told */
  readonly shows: ToolResult | null;
  /** of a change that was applied by a token: the call that it is */
  readonly means?: Pick<DialectCall, 'tool_id' | 'args'>;
}

/** A call that stages a change, or applies one. */
export type StagedCall = Pick<DialectCall, 'id' | 'tool_id' | 'args'>;

/** Who asks for what, in which turn. */
export interface Asking {
  readonly caller: Caller;
  readonly turn: Turn;
  readonly waitOptions: WaitOptions;
}

const failed = (code: string, message: string, hint: string | null = null): Outcome => ({
  standing: 'failed',
  result: null,
  error: { code, message, hint },
});
const stale = (message: string): Outcome => failed('stale-preview', message, 'stage the change anew');

/** What became of a call that was proposed. */
export function cameOf(ran: Ran): Came {
  return ran.kind === 'unfit'
    ? unproposed(failed(ran.fault.code, ran.fault.message))
    : { outcome: outcomeOf(ran.view), view: ran.view, shows: ran.view.result };
}

/** Of a call that was never proposed. */
const unproposed = (outcome: Outcome): Came => ({ outcome, view: null, shows: null });

/**
 * A file as it was when its change was staged. `text` is null where it is none, and 'too_long' for one that is too long
 * to show.
 */
interface Seen {
  readonly sha256: string;
  readonly text: { readonly whole: string } | 'too_long' | null;
}

interface StagesWith {
  readonly order: ProposeInOrder;
  readonly show: ShowOperation;
  readonly blobs: BlobStore;
  readonly tasks: WorkerTasks;
  readonly tokens: StagedTokens;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/** Stages changes, and applies them by their tokens. */
export class StagedChanges {
  readonly #with: StagesWith;

  constructor(parts: StagesWith) {
    this.#with = parts;
  }

  /**
   * Keeps the change, and says what it would do: `metadata` has the token and the diff. The call must be one that the
   * agent may make, on a file that it may read.
   */
  async stage(asking: Asking, { id, tool_id, args }: StagedCall): Promise<Came> {
    const { caller, turn, waitOptions } = asking;
    const write = { ...callOf(turn, caller, { tool_id, args, key: keyOf(turn, id) }), dry_run: true };
    const tried = cameOf(await this.#with.order.one(caller, write, waitOptions));
    if (tried.outcome.standing !== 'completed') return tried;
    const path = String(args['path']);
    const read = cameOf(
      await this.#with.order.one(
        caller,
        callOf(turn, caller, { tool_id: 'fs.read', args: { path }, key: keyOf(turn, id, 'staged') }),
        waitOptions,
      ),
    );
    if (read.view === null || !isFinal(read.view.state)) return read;
    const { result, created_at } = read.view;
    const isNew = result?.error?.code === NOTHING_THERE;
    if (result === null || (read.outcome.standing !== 'completed' && !isNew)) return read;
    const seen = isNew ? 'nothing' : await this.#seen(caller, result);
    const outcome =
      seen === null
        ? stale('what was read when the change was staged is there no more')
        : await this.#staged(asking, write, seen, created_at + TOKEN_MS);
    return { view: read.view, outcome, shows: null };
  }

  async #staged(
    { caller, turn }: Asking,
    { tool_id, args }: ParsedCall,
    seen: Seen | 'nothing',
    expires_at: number,
  ): Promise<Outcome> {
    const path = String(args['path']);
    const preview = await this.#preview(caller, tool_id, args, seen);
    if ('standing' in preview) return preview;
    const kept = await this.#with.blobs.put(caller.tenant_id, Buffer.from(JSON.stringify(args), 'utf8'));
    const token = this.#with.tokens.make(
      {
        tool: tool_id as 'fs.write' | 'fs.edit',
        args: kept,
        seen: seen === 'nothing' ? null : seen.sha256,
        expires_at,
      },
      boundTo(turn, caller),
    );
    return {
      standing: 'completed',
      result: null,
      error: null,
      metadata: {
        token,
        path,
        operation: tool_id === 'fs.write' ? 'write' : 'edit',
        diffPreview: preview.shown,
        expiresAt: new Date(expires_at).toISOString(),
      },
    };
  }

  /** What the change would do, in a worker thread: how long that takes is up to the file and the edits. */
  async #preview(
    { tenant_id }: Caller,
    tool_id: string,
    args: Args,
    seen: Seen | 'nothing',
  ): Promise<{ readonly shown: string } | Outcome> {
    const isWrite = tool_id === 'fs.write';
    if (seen === 'nothing' && !isWrite) return failed(NOTHING_THERE, 'there is no such file to edit');
    const text = seen === 'nothing' ? null : seen.text;
    if (seen !== 'nothing' && text === null)
      return isWrite
        ? { shown: NO_TEXT }
        : failed('file.kind', 'the file is no text', 'write the file as a whole instead');
    // Whether an edit of it fits was tried by the dry run.
    if (text === 'too_long') return { shown: TOO_LONG };
    const change = isWrite ? { content: String(args['content']) } : { edits: (args as unknown as EditArgs).edits };
    const preview = await this.#previewed(tenant_id, { path: String(args['path']), old: text?.whole ?? null, change });
    if ('failed' in preview) return failed(preview.failed.code, preview.failed.message, preview.failed.hint);
    return { shown: preview.diff ?? TOO_LONG };
  }

  async #previewed(tenantId: string, staged: StagedText): Promise<ChangePreview> {
    try {
      return await this.#with.tasks.run(PREVIEW_CHANGE, tenantId, staged);
    } catch (error) {
      if (error instanceof Fault && error.code === 'limit.exceeded') return { diff: null };
      throw error;
    }
  }

  /**
   * Applies what the token stands for, once: the call's idempotency key is made of the token. `earlier`: tokens that
   * calls of this turn used before it. What the token says is believed for its MAC; what the call may do is the
   * kernel's to say.
   */
  async apply({ caller, turn, waitOptions }: Asking, { args }: StagedCall, earlier: readonly string[]): Promise<Came> {
    const read = (token: string) => this.#with.tokens.read(token, boundTo(turn, caller));
    const staged = read(String(args['token']));
    if (staged === null)
      return unproposed(failed('args.invalid', 'there is no staged change of this token in this session'));
    if (earlier.some((token) => read(token)?.id === staged.id))
      return unproposed(stale('the token was used: it is good once'));
    const means = { tool_id: staged.tool, args: await this.#argsOf(caller, staged.args.sha256) };
    if (means.args === null) return unproposed(stale('what was staged is there no more'));
    const isOver = staged.expires_at <= this.#with.now();
    const call = {
      ...callOf(turn, caller, { ...means, args: means.args, key: `staged:${staged.id}` }),
      precondition_refs: [{ kind: 'path' as const, ref: String(means.args['path']), version: staged.seen ?? 'absent' }],
      // A token that is over still tells what became of its change: the kernel answers that first, and refuses what
      // comes too late.
      ...(isOver ? { deadline: staged.expires_at } : {}),
    };
    const came = cameOf(await this.#with.order.one(caller, call, waitOptions));
    const staleNow = staleness(came, turn, isOver);
    return {
      ...came,
      ...(staleNow === null ? {} : { outcome: stale(staleNow), shows: null }),
      means: { ...means, args: means.args },
    };
  }

  async #argsOf({ tenant_id }: Caller, sha256: string): Promise<Args | null> {
    try {
      return parseIJson(await this.#with.blobs.get(tenant_id, sha256), { depthMax: ARGS_DEPTH_MAX }) as Args;
    } catch (error) {
      // Content that nothing names is collected in time.
      if (error instanceof Fault && error.code === 'blob.missing') return null;
      throw error;
    }
  }

  /** The file that the reading named, whole: what it answered may be cut. Null where that was erased. */
  async #seen(caller: Caller, result: ToolResult): Promise<Seen | null> {
    const { sha256 } =
      ((await this.#with.show.result(caller, result)).result as { readonly sha256?: string } | null) ?? {};
    if (sha256 === undefined) return null;
    const size = (await this.#with.blobs.sizes(caller.tenant_id, [sha256])).get(sha256) ?? 0;
    if (size > COMPARED_BYTES_MAX) return { sha256, text: 'too_long' };
    const bytes = await this.#with.blobs.get(caller.tenant_id, sha256);
    return {
      sha256,
      text: isUtf8(bytes) && !bytes.includes(0) ? { whole: Buffer.from(bytes).toString('utf8') } : null,
    };
  }
}

const boundTo = ({ agent_id, capability_token_id, workspace_id, session_id }: Turn, { tenant_id }: Caller) => ({
  tenant_id,
  agent_id,
  capability_token_id,
  workspace_id,
  session_id,
});

/** Why a change that was to be applied is stale; null where the token isn't to blame. */
function staleness(
  { outcome: { error }, view }: Came,
  { turn_id, session_id, run_id }: Turn,
  isOver: boolean,
): string | null {
  if (
    view?.replayed === true &&
    (view.provenance.turn !== turn_id || view.provenance.session_id !== session_id || view.provenance.run_id !== run_id)
  )
    return 'the token was used: it is good once';
  if (error?.code === 'precondition.failed') return 'the file is not as it was when the change was staged';
  return isOver && error?.code === 'deadline' ? 'the token was good for ten minutes, which are over' : null;
}
