// SPDX-License-Identifier: Apache-2.0
//
// Changes files in two steps: a change is staged, reviewed, and applied by its token. INVARIANT (no special path):
// applying a change proposes the write or edit itself, so its digest, decision and record are those of a direct one.
// Staging is a dry run of it and a read of the file; both are recorded. The call that applies it names the dry run, and
// the kernel verifies that it is the same action.
import { isUtf8 } from 'node:buffer';
import type { BlobStore } from '@writ/blobs';
import { Fault, isFinal, STAGED, type Caller, type OperationView, type ToolResult } from '@writ/contract';
import { outcomeOf, type Args, type DialectCall, type Outcome } from '@writ/dialects';
import { parseIJson } from '@writ/digest';
import type { EditArgs } from '@writ/workspace';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import type { ProposeInOrder, ProposalResult } from '../../calls/propose-in-order.ts';
import type { WaitOptions } from '../../calls/propose.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import { COMPARED_BYTES_MAX, type ChangePreview, type StagedText } from '../../calls/diffs/preview-change.ts';
import { PREVIEW_CHANGE } from '../../calls/call-tasks.ts';
import type { WorkerTasks } from '../../edge/work/worker-tasks.ts';
import type { Staged, StagedTokens } from './staged-token.ts';
import { callOf, keyOf, type Turn } from './turn-call.ts';

const ARGS_DEPTH_MAX = 32;
/** The fault code of `fs.read` for a missing file. */
const FILE_NOT_FOUND = 'file.not_found';
/** Shown instead of a diff. */
const TOO_LONG = 'the change is too long to show';
const NO_TEXT = 'the file that is there is no text';

/** The result of a call of a model: the outcome for the model, the operation, and the call that was applied. */
export interface CallResult {
  readonly outcome: Outcome;
  readonly view: OperationView | null;
  /** the operation's result, if the model receives it */
  readonly resultToShow: ToolResult | null;
  /** whether something that the call started is still at work, though the operation has ended */
  readonly isUnderWay?: boolean;
  /** the call that was made, where it isn't the written one: a change applied by its token, or filled-in variables */
  readonly appliedCall?: Pick<DialectCall, 'tool_id' | 'args'>;
}

/** A call that stages a change, or applies one. */
export type StagedCall = Pick<DialectCall, 'id' | 'tool_id' | 'args'>;

/** The caller, the turn and the wait of a call. */
export interface TurnContext {
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

/** The result of a proposed call. */
export function callResultOf(proposal: ProposalResult): CallResult {
  return proposal.kind === 'unfit'
    ? unproposed(failed(proposal.fault.code, proposal.fault.message))
    : { outcome: outcomeOf(proposal.view), view: proposal.view, resultToShow: proposal.view.result };
}

/** The result of a call that was not proposed. */
export const unproposed = (outcome: Outcome): CallResult => ({ outcome, view: null, resultToShow: null });

/**
 * A file as it was when its change was staged. `text` is null for a file that isn't text, and 'too_long' for one that
 * is too long to show.
 */
interface FileBefore {
  readonly sha256: string;
  readonly text: { readonly whole: string } | 'too_long' | null;
}

interface StagingDependencies {
  readonly order: ProposeInOrder;
  readonly show: ShowOperation;
  readonly blobs: BlobStore;
  readonly tasks: WorkerTasks;
  readonly tokens: StagedTokens;
  /** how long a change stays staged, in milliseconds: by the policy in force */
  readonly stagedMs: (caller: Caller) => Promise<number>;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/** Stages changes, and applies them by their tokens. */
export class StagedChanges {
  readonly #dependencies: StagingDependencies;

  constructor(dependencies: StagingDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Stores the change and returns its effect: `metadata` has the token and the diff. The agent must be allowed to make
   * the call and to read the file.
   */
  async stage(context: TurnContext, { id, tool_id, args }: StagedCall): Promise<CallResult> {
    const { caller, turn, waitOptions } = context;
    const write = {
      ...callOf(turn, caller, { tool_id, args, key: keyOf(turn, id) }),
      precondition_refs: [stagedRef(STAGED.ref)],
      dry_run: true,
    };
    const tried = callResultOf(await this.#dependencies.order.proposeOne(caller, write, waitOptions));
    if (tried.outcome.standing !== 'completed') return tried;
    const read = await this.#read(context, { id, tool_id, args }, tried.view?.operation_id ?? '');
    if (read.view === null || !isFinal(read.view.state)) return read;
    const { result, created_at, provenance } = read.view;
    const isNew = result?.error?.code === FILE_NOT_FOUND;
    if (result === null || (read.outcome.standing !== 'completed' && !isNew)) return read;
    const seen = isNew ? 'nothing' : await this.#readFileBefore(caller, result);
    const outcome =
      seen === null
        ? stale('what was read when the change was staged is there no more')
        : await this.#staged(context, write, seen, {
            shown_by: provenance.parent_operation_id ?? tried.view?.operation_id ?? '',
            expires_at: created_at + (await this.#dependencies.stagedMs(caller)),
          });
    return { view: read.view, outcome, resultToShow: null };
  }

  /**
   * Reads the file that a change is staged for. The read names the dry run. A turn that is posted again makes another
   * dry run and gets the read of the first one, so that its token stays the same.
   */
  async #read(
    { caller, turn, waitOptions }: TurnContext,
    { id, args }: StagedCall,
    shownBy: string,
  ): Promise<CallResult> {
    const path = String(args['path']);
    const read = callOf(turn, caller, { tool_id: 'fs.read', args: { path }, key: keyOf(turn, id, 'staged') });
    return callResultOf(
      await this.#dependencies.order.proposeOne(
        caller,
        { ...read, provenance: { ...read.provenance, parent_operation_id: shownBy } },
        waitOptions,
      ),
    );
  }

  async #staged(
    { caller, turn }: TurnContext,
    { tool_id, args }: ParsedCall,
    seen: FileBefore | 'nothing',
    { shown_by, expires_at }: Pick<Staged, 'shown_by' | 'expires_at'>,
  ): Promise<Outcome> {
    const path = String(args['path']);
    const preview = await this.#preview(caller, tool_id, args, seen);
    if ('standing' in preview) return preview;
    const kept = await this.#dependencies.blobs.put(caller.tenant_id, Buffer.from(JSON.stringify(args), 'utf8'));
    const token = this.#dependencies.tokens.make(
      {
        shown_by,
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

  /** Previews the change in a worker thread, because the file and the edits determine how long that takes. */
  async #preview(
    { tenant_id }: Caller,
    tool_id: string,
    args: Args,
    seen: FileBefore | 'nothing',
  ): Promise<{ readonly shown: string } | Outcome> {
    const isWrite = tool_id === 'fs.write';
    if (seen === 'nothing' && !isWrite) return failed(FILE_NOT_FOUND, 'there is no such file to edit');
    const text = seen === 'nothing' ? null : seen.text;
    if (seen !== 'nothing' && text === null)
      return isWrite
        ? { shown: NO_TEXT }
        : failed('file.kind', 'the file is no text', 'write the file as a whole instead');
    // The dry run has already checked that an edit applies.
    if (text === 'too_long') return { shown: TOO_LONG };
    const change = isWrite ? { content: String(args['content']) } : { edits: (args as unknown as EditArgs).edits };
    const preview = await this.#previewed(tenant_id, { path: String(args['path']), old: text?.whole ?? null, change });
    if ('failed' in preview) return failed(preview.failed.code, preview.failed.message, preview.failed.hint);
    return { shown: preview.diff ?? TOO_LONG };
  }

  async #previewed(tenantId: string, staged: StagedText): Promise<ChangePreview> {
    try {
      return await this.#dependencies.tasks.run(PREVIEW_CHANGE, tenantId, staged);
    } catch (error) {
      if (error instanceof Fault && error.code === 'limit.exceeded') return { diff: null };
      throw error;
    }
  }

  /**
   * Applies the change of a token once: the call's idempotency key is made of the dry run that staged it. `earlier`:
   * tokens that earlier calls of this turn used. The token's content is trusted because of its MAC; the kernel decides
   * whether the call is allowed.
   */
  async apply(
    { caller, turn, waitOptions }: TurnContext,
    { args }: StagedCall,
    earlier: readonly string[],
  ): Promise<CallResult> {
    const read = (token: string) => this.#dependencies.tokens.read(token, boundTo(turn, caller));
    const staged = read(String(args['token']));
    if (staged === null)
      return unproposed(failed('args.invalid', 'there is no staged change of this token in this session'));
    if (earlier.some((token) => read(token)?.shown_by === staged.shown_by))
      return unproposed(stale('the token was used: it is good once'));
    const means = { tool_id: staged.tool, args: await this.#argsOf(caller, staged.args.sha256) };
    if (means.args === null) return unproposed(stale('what was staged is there no more'));
    const isOver = staged.expires_at <= this.#dependencies.now();
    const call = {
      ...callOf(turn, caller, { ...means, args: means.args, key: `${STAGED.keyPrefix}${staged.shown_by}` }),
      precondition_refs: [
        stagedRef(staged.shown_by),
        { kind: 'path' as const, ref: String(means.args['path']), version: staged.seen ?? 'absent' },
      ],
      // An expired token still gets the result of an applied change: the kernel checks the idempotency key first, and
      // then refuses a late call.
      ...(isOver ? { deadline: staged.expires_at } : {}),
    };
    const came = callResultOf(await this.#dependencies.order.proposeOne(caller, call, waitOptions));
    const staleNow = staleness(came, turn, isOver);
    return {
      ...came,
      ...(staleNow === null ? {} : { outcome: stale(staleNow), resultToShow: null }),
      appliedCall: { ...means, args: means.args },
    };
  }

  async #argsOf({ tenant_id }: Caller, sha256: string): Promise<Args | null> {
    try {
      return parseIJson(await this.#dependencies.blobs.get(tenant_id, sha256), { depthMax: ARGS_DEPTH_MAX }) as Args;
    } catch (error) {
      // Unreferenced blobs are garbage-collected in time.
      if (error instanceof Fault && error.code === 'blob.missing') return null;
      throw error;
    }
  }

  /**
   * Reads the whole file that `fs.read` named, because its answer may be truncated. Null where the file's content was
   * erased.
   */
  async #readFileBefore(caller: Caller, result: ToolResult): Promise<FileBefore | null> {
    const { sha256 } =
      ((await this.#dependencies.show.result(caller, result)).result as { readonly sha256?: string } | null) ?? {};
    if (sha256 === undefined) return null;
    const size = (await this.#dependencies.blobs.sizes(caller.tenant_id, [sha256])).get(sha256) ?? 0;
    if (size > COMPARED_BYTES_MAX) return { sha256, text: 'too_long' };
    const bytes = await this.#dependencies.blobs.get(caller.tenant_id, sha256);
    return {
      sha256,
      text: isUtf8(bytes) && !bytes.includes(0) ? { whole: Buffer.from(bytes).toString('utf8') } : null,
    };
  }
}

const stagedRef = (ref: string) => ({ kind: 'staged' as const, ref, version: STAGED.version });

const boundTo = ({ agent_id, capability_token_id, workspace_id, session_id }: Turn, { tenant_id }: Caller) => ({
  tenant_id,
  agent_id,
  capability_token_id,
  workspace_id,
  session_id,
});

/** Why an applied change is stale; null where the token isn't the reason. */
function staleness(
  { outcome: { error }, view }: CallResult,
  { turn_id, session_id, run_id }: Turn,
  isOver: boolean,
): string | null {
  if (
    view?.replayed === true &&
    (view.provenance.turn !== turn_id || view.provenance.session_id !== session_id || view.provenance.run_id !== run_id)
  )
    return 'the token was used: it is good once';
  if (isOver && (error?.code === 'precondition.failed' || error?.code === 'deadline'))
    return 'the time of the token is over';
  return error?.code === 'precondition.failed'
    ? 'the file is not as it was when the change was staged, or the change is no longer staged'
    : null;
}
