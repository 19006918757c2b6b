// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { useState, type DragEvent, type ReactNode } from 'react';
import { readPublishedKeys, verifyFile } from '../../data/receipts.ts';
import controls from '../../design/controls.module.css';
import { NotVerified, Verified } from '../../parts/receipt-verdict.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { kindOf, FILE_BYTES_MAX, type FileKind } from './dropped-file.ts';
import { EvidencePage } from './evidence-page.tsx';
import { kindOf as kindOfRecord } from './records.tsx';
import styles from './evidence.module.css';

interface Dropped {
  readonly id: number;
  readonly name: string;
  readonly kind: FileKind | 'unreadable';
  readonly bytes: Uint8Array;
}

/** Verifies files of receipts with the keys that are published, or with those that are dropped too. */
export function VerifyFiles(): ReactNode {
  const [receipts, setReceipts] = useState<readonly Dropped[]>([]);
  const [keys, setKeys] = useState<Dropped | null>(null);
  const take = async (files: readonly File[]): Promise<void> => {
    const read = await Promise.all(files.map(readDropped));
    setKeys((before) => read.findLast(({ kind }) => kind === 'keys') ?? before);
    setReceipts((before) => [...read.filter(({ kind }) => kind !== 'keys'), ...before]);
  };
  return (
    <EvidencePage>
      <div className={styles['sections']}>
        <DropZone take={(files) => void take(files)} />
        <p className={controls['hint']} role="status">
          <Shown text={keys === null ? en.evidence.verify.publishedKeys : en.evidence.verify.ownKeys(keys.name)} />
        </p>
        <div className={styles['buttons']}>
          {keys === null ? null : (
            <button type="button" className={controls['button']} onClick={() => setKeys(null)}>
              {en.evidence.verify.forget}
            </button>
          )}
          {receipts.length === 0 ? null : (
            <button type="button" className={controls['button']} onClick={() => setReceipts([])}>
              {en.evidence.verify.clear}
            </button>
          )}
        </div>
        <section aria-label={en.evidence.verify.results} aria-live="polite">
          <ul className={styles['results']}>
            {receipts.map((file) => (
              <li key={file.id} className={styles['section']}>
                <h2>
                  <Shown text={file.name} />
                </h2>
                {file.kind === 'receipt' ? <Verdict file={file} keys={keys} /> : <Unfit kind={file.kind} />}
              </li>
            ))}
          </ul>
        </section>
      </div>
    </EvidencePage>
  );
}

let last = 0;

/** Reads a file as far as its kind needs it: nobody waits for an archive of gigabytes. */
async function readDropped(file: File): Promise<Dropped> {
  last += 1;
  const id = last;
  try {
    const bytes = new Uint8Array(await file.slice(0, FILE_BYTES_MAX + 1).arrayBuffer());
    return { id, name: file.name, kind: kindOf(bytes), bytes };
  } catch {
    return { id, name: file.name, kind: 'unreadable', bytes: new Uint8Array() };
  }
}

const Unfit = ({ kind }: { readonly kind: Exclude<Dropped['kind'], 'receipt'> }): ReactNode => (
  <p className={`${controls['note']} ${controls['warn']}`} role="alert">
    {en.evidence.verify[kind]}
  </p>
);

interface VerdictGiven {
  readonly file: Dropped;
  readonly keys: Dropped | null;
}

function Verdict({ file, keys }: VerdictGiven): ReactNode {
  const { data, error, isPending } = useQuery({
    queryKey: ['dropped', file.id, keys?.id ?? null],
    retry: false,
    staleTime: Infinity,
    queryFn: async () => await verifyFile(file.bytes, keys?.bytes ?? (await readPublishedKeys())),
  });
  if (isPending) return <p role="status">{en.evidence.verify.verifying}</p>;
  if (data === undefined) return <NotVerified error={error} />;
  const { record, deployment } = data;
  return (
    <div className={styles['receipt']}>
      <dl className={styles['wideFacts']}>
        <dt>{en.evidence.verify.deployment}</dt>
        <dd>
          <Shown text={deployment} />
        </dd>
        <dt>{en.evidence.verify.about}</dt>
        <dd>
          <Shown text={kindOfRecord({ type: record.kind, phase: record.phase })} />{' '}
          {record.tool_id === null ? null : <Shown text={record.tool_id} isCode />}{' '}
          <Shown text={record.tx_outcome ?? record.verdict ?? ''} /> <Id id={record.operation_id ?? record.record_id} />
        </dd>
      </dl>
      <Verified receipt={data} />
    </div>
  );
}

/** Takes files that are dropped on it or chosen. */
function DropZone({ take }: { readonly take: (files: readonly File[]) => void }): ReactNode {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <div
      className={styles['drop']}
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take([...event.dataTransfer.files]);
      }}
    >
      <h2>{en.evidence.verify.drop}</h2>
      <label className={controls['inline']}>
        {en.evidence.verify.choose}
        <input
          type="file"
          multiple
          onChange={({ target }) => {
            take([...(target.files ?? [])]);
            target.value = '';
          }}
        />
      </label>
      <p className={controls['hint']}>{en.evidence.verify.text}</p>
    </div>
  );
}
