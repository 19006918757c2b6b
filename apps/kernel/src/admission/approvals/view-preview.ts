// SPDX-License-Identifier: Apache-2.0
import { LIMITS, TOOLS, type PreviewView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseJson } from '@writ/digest';
import { openStaged, shownDelta, type StagedCall } from '../../execution/effects/index.ts';
import { hasRun } from '../../execution/held/index.ts';
import { openStoredContent, type KeyedCall, type TenantVault } from '../../evidence/payload/index.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** The sources that decrypt a staged effect. */
export interface StagedEffectSources {
  readonly vault: TenantVault;
  readonly blobs: BlobStore;
}

/** Changes that one view lists: enough for an overview, and they fit a message with arguments and output. */
const CHANGES_SHOWN = 100;
/** Maximum bytes of output in a view, since a message holds 256 KiB. Longer output is not shown. */
const OUTPUT_BYTES_MAX = 32 * 1024;

/** The states of a preview as they are shown. */
export const PREVIEW_STATES = {
  waiting: 'waiting',
  dispatched: 'waiting',
  performing: 'running',
  ready: 'ready',
  failed: 'failed',
  abandoned: 'abandoned',
} as const;

/**
 * Shows the effect of a held call. Without sources it shows only the state of the preview, and nothing of its result.
 */
export async function viewPreview(held: HeldCall, sources: StagedEffectSources | null): Promise<PreviewView> {
  const { preview, approval, operation } = held;
  const staged =
    sources === null || held.staged === null
      ? null
      : await openStaged(sources.vault, operation.tenant_id, operation.operation_id, held.staged);
  const delta =
    sources === null || staged === null ? null : await shownDelta(sources.blobs, operation.tenant_id, staged);
  return {
    state: approval.of === 'effect' ? 'ready' : preview === null ? 'none' : PREVIEW_STATES[preview.state],
    why: reasonOf(held),
    round: preview?.round ?? 0,
    base_snapshot_id: preview?.state_snapshot_id ?? (hasRun(held) ? operation.state_snapshot_id : null),
    changes: delta?.changes.slice(0, CHANGES_SHOWN) ?? null,
    changes_total: delta?.changes.length ?? null,
    exit_code: staged?.exit_code ?? null,
    output: await outputOf(operation, staged, sources),
    would_ask_for: preview?.would_ask_for ?? [],
    used: preview?.used ?? operation.budget_delta,
  };
}

/** Why the approval is for the action and not for an effect. */
function reasonOf({ preview, approval, operation }: HeldCall): string | null {
  if (approval.of === 'effect') return null;
  if (preview === null && TOOLS.get(operation.tool_id)?.changes_records === true)
    return 'what it changes is kept beside the files: the arguments say all of it';
  if (preview === null)
    return operation.mutating
      ? "the token has no budget left for a preview, or the tool can't run without an effect outside"
      : 'the call only reads: there is no effect to approve';
  if (preview.fault_message !== null) return preview.fault_message;
  const requested = preview.would_ask_for ?? [];
  return requested.length === 0
    ? null
    : `it asked for ${requested.map(({ kind, what }) => `${kind} \`${what}\``).join(', ')}, which a preview doesn't get`;
}

async function outputOf(
  call: KeyedCall,
  staged: StagedCall | null,
  sources: StagedEffectSources | null,
): Promise<unknown> {
  if (staged === null || sources === null) return null;
  if (staged.result_ref === null)
    return JSON.stringify(staged.result).length <= OUTPUT_BYTES_MAX ? staged.result : null;
  const { result_ref: ref, sealed } = staged;
  if (ref.size > Math.min(OUTPUT_BYTES_MAX, LIMITS.resultInlineBytes.max)) return null;
  const bytes = await openStoredContent(
    sources.vault.calls,
    sources.blobs,
    call,
    'result',
    sealed === undefined ? ref : { ...ref, sealed },
  );
  return bytes === null ? null : parseJson(Buffer.from(bytes).toString('utf8'));
}
