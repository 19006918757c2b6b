// SPDX-License-Identifier: Apache-2.0
import type { ExportRecordsFormat } from '@writ/client/web';
import { useState, type ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import { DownloadButton } from '../../parts/download-button.tsx';
import { safeFileName } from '../../parts/safe-file-name.ts';
import { en } from '../../words/en.ts';
import { EvidencePage } from './evidence-page.tsx';
import styles from './evidence.module.css';

const FORMATS = Object.keys(en.evidence.exports.formats) as readonly ExportRecordsFormat[];
const PROOFS: ReadonlySet<string> = new Set(['receipt', 'dsse']);

/** The two exports of the API. Each is made while it is read, so there is no list of earlier ones. */
export const Exports = (): ReactNode => (
  <EvidencePage>
    <div className={styles['sections']}>
      <p className={controls['hint']}>{en.evidence.exports.roles}</p>
      <RecordsExport />
      <BundleExport />
    </div>
  </EvidencePage>
);

/** A whole number of a field; undefined for an empty one. The browser keeps others out, and the server refuses them. */
const numberOf = (text: string): number | undefined => (text === '' ? undefined : Number(text));

function RecordsExport(): ReactNode {
  const [format, setFormat] = useState<ExportRecordsFormat>('receipt');
  const [after, setAfter] = useState('');
  const [limit, setLimit] = useState('');
  return (
    <section className={styles['section']}>
      <h2>{en.evidence.exports.records}</h2>
      <p className={controls['hint']}>{en.evidence.exports.recordsText}</p>
      <label className={controls['field']}>
        <span className={controls['label']}>{en.evidence.exports.format}</span>
        <select
          className={controls['select']}
          value={format}
          onChange={({ target }) => setFormat(target.value as ExportRecordsFormat)}
        >
          {FORMATS.map((one) => (
            <option key={one} value={one}>
              {en.evidence.exports.formats[one]}
            </option>
          ))}
        </select>
        {PROOFS.has(format) ? null : <span className={controls['hint']}>{en.evidence.exports.noProof}</span>}
      </label>
      <Input label={en.evidence.exports.after} type="number" min={0} value={after} change={setAfter} />
      <Input label={en.evidence.exports.limit} type="number" min={1} value={limit} change={setLimit} />
      <DownloadButton
        label={en.evidence.exports.start}
        name={`records-${format}${after === '' ? '' : `-after-${String(Number(after))}`}.ndjson`}
        open={(api, options) =>
          api.exports.exportRecords({ format, after: numberOf(after), limit: numberOf(limit) }, options)
        }
      />
    </section>
  );
}

type Of = 'session' | 'range';

function BundleExport(): ReactNode {
  const [of, setOf] = useState<Of>('range');
  const [session, setSession] = useState('');
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const at = (local: string): number | undefined => (local === '' ? undefined : Date.parse(local));
  const words = en.evidence.exports;
  return (
    <section className={styles['section']}>
      <h2>{words.bundle}</h2>
      <p className={controls['hint']}>{words.bundleText}</p>
      <fieldset className={styles['choices']}>
        <legend className={controls['label']}>{words.of}</legend>
        {(['range', 'session'] as const).map((one) => (
          <label key={one}>
            <input type="radio" name="of" checked={of === one} onChange={() => setOf(one)} /> {words[one]}
          </label>
        ))}
      </fieldset>
      {of === 'session' ? (
        <Input label={words.sessionId} type="text" value={session} change={setSession} />
      ) : (
        <>
          <Input label={words.since} type="datetime-local" value={since} change={setSince} />
          <Input label={words.until} type="datetime-local" value={until} change={setUntil} />
        </>
      )}
      <DownloadButton
        key={of}
        label={words.start}
        name={of === 'session' ? `${safeFileName(session.replaceAll('/', '_'))}.tar` : 'records.tar'}
        open={(api, options) =>
          api.exports.exportBundle(
            of === 'session' ? { session: session.trim() } : { since: at(since), until: at(until) },
            options,
          )
        }
      />
    </section>
  );
}

interface InputGiven {
  readonly label: string;
  readonly type: 'text' | 'number' | 'datetime-local';
  readonly min?: number;
  readonly value: string;
  readonly change: (value: string) => void;
}

const Input = ({ label, type, min, value, change }: InputGiven): ReactNode => (
  <label className={controls['field']}>
    <span className={controls['label']}>{label}</span>
    <input
      className={controls['input']}
      type={type}
      min={min}
      value={value}
      maxLength={type === 'text' ? 128 : undefined}
      onChange={({ target }) => change(target.value)}
    />
  </label>
);
