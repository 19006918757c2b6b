// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type PreviewView } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseJson } from '@writ/digest';
import { openStaged, shownDelta, type StagedCall } from '../../execution/effects/index.ts';
import { hasRun } from '../../execution/held/index.ts';
import { openKept, type KeyedCall, type TenantVault } from '../../evidence/payload/index.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** What shows a staged effect in clear. */
export interface Eyes {
  readonly vault: TenantVault;
  readonly blobs: BlobStore;
}

/** Changes named in a view: enough to see what it is about, and to fit a message beside arguments and output. */
const CHANGES_SHOWN = 100;
/** A longer output is left to whoever runs the call: a message holds 256 KiB. */
const OUTPUT_BYTES_MAX = 32 * 1024;

const STATES = {
  waiting: 'waiting',
  dispatched: 'waiting',
  performing: 'running',
  ready: 'ready',
  failed: 'failed',
  abandoned: 'abandoned',
} as const;

/**
 * What is known of the effect of a held call. Without eyes it says where the preview stands, and nothing of what it
 * found.
 */
export async function viewPreview(held: HeldCall, eyes: Eyes | null): Promise<PreviewView> {
  const { preview, approval, operation } = held;
  const staged =
    eyes === null || held.staged === null
      ? null
      : await openStaged(eyes.vault, operation.tenant_id, operation.operation_id, held.staged);
  const delta = eyes === null || staged === null ? null : await shownDelta(eyes.blobs, operation.tenant_id, staged);
  return {
    state: approval.of === 'effect' ? 'ready' : preview === null ? 'none' : STATES[preview.state],
    why: whyOf(held),
    round: preview?.round ?? 0,
    base_snapshot_id: preview?.state_snapshot_id ?? (hasRun(held) ? operation.state_snapshot_id : null),
    changes: delta?.changes.slice(0, CHANGES_SHOWN) ?? null,
    changes_total: delta?.changes.length ?? null,
    exit_code: staged?.exit_code ?? null,
    output: await outputOf(operation, staged, eyes),
    would_ask_for: preview?.would_ask_for ?? [],
    used: preview?.used ?? operation.budget_delta,
  };
}

/** Why the approval is one of the action. */
function whyOf({ preview, approval, operation }: HeldCall): string | null {
  if (approval.of === 'effect') return null;
  if (preview === null)
    return operation.mutating
      ? "the token has no budget left for a preview, or the tool can't run without an effect outside"
      : 'the call only reads: there is no effect to approve';
  if (preview.fault_message !== null) return preview.fault_message;
  const asked = preview.would_ask_for ?? [];
  return asked.length === 0
    ? null
    : `it asked for ${asked.map(({ kind, what }) => `${kind} \`${what}\``).join(', ')}, which a preview doesn't get`;
}

async function outputOf(call: KeyedCall, staged: StagedCall | null, eyes: Eyes | null): Promise<unknown> {
  if (staged === null || eyes === null) return null;
  if (staged.result_ref === null)
    return JSON.stringify(staged.result).length <= OUTPUT_BYTES_MAX ? staged.result : null;
  const { result_ref: ref, sealed } = staged;
  if (ref.size > Math.min(OUTPUT_BYTES_MAX, LIMITS.resultInlineBytes.max)) return null;
  const bytes = await openKept(
    eyes.vault.calls,
    eyes.blobs,
    call,
    'result',
    sealed === undefined ? ref : { ...ref, sealed },
  );
  return bytes === null ? null : parseJson(Buffer.from(bytes).toString('utf8'));
}
