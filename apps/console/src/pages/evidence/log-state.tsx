// SPDX-License-Identifier: Apache-2.0
import { useMutation } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { readPublishedKeys, readRecordReceipt, verifyFile } from '../../data/receipts.ts';
import { useCheckpoint } from '../../data/records.ts';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { NotVerified } from '../../parts/receipt-verdict.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { readCheckpoint, signerOf, type Checkpoint, type NoteSignature } from './checkpoint.ts';
import { EvidencePage } from './evidence-page.tsx';
import styles from './evidence.module.css';

/** The newest checkpoint of the log, and who signed it. */
export function LogState(): ReactNode {
  const { data, error, isPending, refetch, isFetching } = useCheckpoint();
  return (
    <EvidencePage>
      <div className={styles['sections']}>
        {isPending ? (
          <Skeleton lines={8} />
        ) : data === undefined ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : (
          <Newest note={data.note} keys={data.keys} isReading={isFetching} refresh={() => void refetch()} />
        )}
      </div>
    </EvidencePage>
  );
}

interface NewestGiven {
  readonly note: string;
  readonly keys: string;
  readonly isReading: boolean;
  readonly refresh: () => void;
}

function Newest({ note, keys, isReading, refresh }: NewestGiven): ReactNode {
  const checkpoint = useMemo(() => readCheckpoint(note), [note]);
  const hasWitness = checkpoint.signatures.some((one) => signerOf(one, keys) === 'witness');
  return (
    <section className={styles['section']}>
      <h2>{en.evidence.log.newest}</h2>
      <p className={controls['hint']}>{en.evidence.log.text}</p>
      <dl className={styles['wideFacts']}>
        <dt>{en.evidence.log.origin}</dt>
        <dd>
          <Shown text={checkpoint.origin} isCode />
        </dd>
        <dt>{en.evidence.log.size}</dt>
        <dd>{checkpoint.size.toLocaleString('en')}</dd>
        <dt>{en.evidence.log.root}</dt>
        <dd>
          <Shown text={checkpoint.root} isCode />
        </dd>
        <dt>{en.evidence.log.signatures}</dt>
        <dd>
          <ul className={styles['signatures']}>
            {checkpoint.signatures.map((one) => (
              <Signature key={`${one.name} ${one.keyHash}`} signature={one} keys={keys} />
            ))}
          </ul>
        </dd>
      </dl>
      <p className={controls['note']}>{hasWitness ? en.evidence.log.witnessNote : en.evidence.log.noWitness}</p>
      <VerifyNewest note={note} checkpoint={checkpoint} />
      <div className={styles['buttons']}>
        <button type="button" className={controls['button']} disabled={isReading} onClick={refresh}>
          {en.evidence.log.refresh}
        </button>
        <button type="button" className={controls['button']} onClick={() => saveFile('checkpoint.txt', note)}>
          {en.evidence.log.download}
        </button>
      </div>
      <details>
        <summary>{en.evidence.log.raw}</summary>
        <pre className={styles['raw']} tabIndex={0}>
          <Shown text={note} />
        </pre>
      </details>
    </section>
  );
}

function Signature({ signature, keys }: { readonly signature: NoteSignature; readonly keys: string }): ReactNode {
  const signer = signerOf(signature, keys);
  return (
    <li>
      <Shown text={`${signature.name}+${signature.keyHash}`} isCode />{' '}
      <Badge tone={signer === 'unknown' ? 'warn' : null}>{en.evidence.log.who[signer]}</Badge>{' '}
      {signature.cosignedAt === null ? null : (
        <span className={controls['hint']}>
          {en.evidence.log.cosigned} <Moment at={signature.cosignedAt} />
        </span>
      )}
    </li>
  );
}

interface VerifyGiven {
  readonly note: string;
  readonly checkpoint: Checkpoint;
}

/**
 * Verifies the checkpoint by the receipt of its last record, which holds the checkpoint that it was proved towards.
 * INVARIANT (what is shown): it counts only if that is the checkpoint on the screen.
 */
function VerifyNewest({ note, checkpoint }: VerifyGiven): ReactNode {
  const { api } = useSession();
  const check = useMutation({
    retry: false,
    mutationFn: async () => {
      const [file, keys] = await Promise.all([readRecordReceipt(api, checkpoint.size - 1), readPublishedKeys()]);
      const { treeSize } = await verifyFile(file, keys);
      const receipt = JSON.parse(file) as { readonly inclusion?: { readonly checkpoint?: unknown } };
      if (receipt.inclusion?.checkpoint !== note) throw new Error(en.evidence.log.grew);
      return treeSize;
    },
  });
  if (checkpoint.size === 0) return <p className={controls['hint']}>{en.evidence.log.empty}</p>;
  return (
    <div className={styles['receipt']} aria-live="polite">
      <button
        type="button"
        className={`${controls['button']} ${controls['main']}`}
        disabled={check.isPending}
        onClick={() => check.mutate()}
      >
        {check.isPending ? en.operation.verifying : en.evidence.log.verify}
      </button>
      {check.isSuccess ? (
        <p className={`${controls['note']} ${controls['good']}`}>
          <strong>{en.evidence.log.verified}</strong>
        </p>
      ) : null}
      {check.isError ? <NotVerified error={check.error} /> : null}
    </div>
  );
}
