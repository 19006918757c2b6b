// SPDX-License-Identifier: Apache-2.0
import type { Approval } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useStagedDiff } from '../../data/approvals.ts';
import controls from '../../design/controls.module.css';
import { Diff } from '../../parts/diff.tsx';
import { Json } from '../../parts/json.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';

interface DiffGiven {
  readonly approval: Approval;
  readonly effectDigest: string;
}

/** The staged effect as a diff, with the output of the preview and the requests that the call would make. */
export function StagedEffect({ approval }: { readonly approval: Approval }): ReactNode {
  const { preview, binding } = approval;
  return (
    <>
      <section>
        <h2>{en.call.effect}</h2>
        {binding.effect_digest === null ? (
          <p className={controls['hint']}>
            {preview.why === null ? en.approvals.previews[preview.state] : <Shown text={preview.why} />}
          </p>
        ) : (
          <StagedDiff approval={approval} effectDigest={binding.effect_digest} />
        )}
        {binding.effect_digest === null ? null : <p className={controls['hint']}>{en.call.undoFiles}</p>}
      </section>
      {preview.would_ask_for.length === 0 ? null : (
        <section>
          <h2>{en.call.wouldAsk}</h2>
          <ul>
            {preview.would_ask_for.map(({ kind, what }) => (
              <li key={`${kind} ${what}`}>
                <Shown text={`${kind}: ${what}`} isCode />
              </li>
            ))}
          </ul>
          <p className={controls['hint']}>
            {en.call.wouldAskNote} {en.call.undoRequests}
          </p>
        </section>
      )}
      {preview.output === null || preview.output === undefined ? null : (
        <section>
          <h2>
            {en.call.output}
            {preview.exit_code === null ? '' : ` · ${en.call.exitCode(preview.exit_code)}`}
          </h2>
          <Json value={preview.output} />
        </section>
      )}
    </>
  );
}

function StagedDiff({ approval, effectDigest }: DiffGiven): ReactNode {
  const isOpen = approval.state === 'pending';
  const { data, error, isPending, refetch } = useStagedDiff(approval.approval_id, effectDigest, isOpen);
  if (data === undefined && !isOpen) return <Changes preview={approval.preview} />;
  if (isPending) return <Skeleton lines={6} />;
  // Another effect was staged while this one was read: what is shown must be what is approved.
  if (data === undefined || data.effect_digest !== effectDigest)
    return <Failed error={error ?? new Error(en.call.stale)} retry={() => void refetch()} />;
  return <Diff files={data.files} total={data.files_total} />;
}

/** What is kept of the effect of a decided call: paths, without texts. */
const Changes = ({ preview: { changes } }: { readonly preview: Approval['preview'] }): ReactNode => (
  <ul>
    {(changes ?? []).map(({ path, before, after }) => (
      <li key={path}>
        <Badge tone={null}>{en.diff[before === null ? 'added' : after === null ? 'deleted' : 'modified']}</Badge>{' '}
        <Shown text={path} isCode />
      </li>
    ))}
  </ul>
);
