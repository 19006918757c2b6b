// SPDX-License-Identifier: Apache-2.0
import { memo, useMemo, type ReactNode } from 'react';
import { SHOWN_BYTES_MAX, useFileContent, type FileContent } from '../../data/workspaces.ts';
import controls from '../../design/controls.module.css';
import { DownloadButton } from '../../parts/download-button.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { safeFileName } from '../../parts/safe-file-name.ts';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { textOf, type FileText, type TextChunk } from './file-text.ts';
import styles from './workspaces.module.css';

interface FileGiven {
  readonly place: { readonly workspaceId: string; readonly snapshotId: string };
  readonly path: string;
}

/** A file of a snapshot: its lines, or in words why they are not shown. */
export function FileView({ place, path }: FileGiven): ReactNode {
  const { data, error, isPending, refetch } = useFileContent(place, path);
  const text = useMemo(() => (data?.bytes ? textOf(data.bytes) : null), [data]);
  return (
    <section className={styles['fileView']} aria-labelledby="file-title">
      <header className={styles['fileHeading']}>
        <h2 id="file-title" className={styles['filePath']}>
          <Shown text={path} isCode />
        </h2>
        {data === undefined ? null : <span className={controls['hint']}>{factsOf(data, text).join(' · ')}</span>}
        <DownloadButton
          label={en.workspaces.download}
          name={safeFileName(path)}
          open={(api, options) =>
            api.workspaces.downloadFile(place.workspaceId, path, { at: place.snapshotId }, options)
          }
        />
      </header>
      {isPending ? (
        <Skeleton lines={12} />
      ) : data === undefined ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : text === null ? (
        <p className={styles['nothing']}>
          {data.bytes === null ? en.workspaces.tooLarge(data.size, SHOWN_BYTES_MAX) : en.workspaces.binary}
        </p>
      ) : (
        <Lines text={text} />
      )}
    </section>
  );
}

function factsOf({ size, mode, isLink }: FileContent, text: FileText | null): readonly string[] {
  return [
    isLink ? en.workspaces.link : null,
    text === null ? null : en.workspaces.lines(text.lines),
    Number.isFinite(size) ? en.diff.bytes(size) : null,
    mode === '755' ? en.workspaces.runnable : null,
    text?.ends === 'crlf' ? en.workspaces.crlf : null,
    text !== null && text.cut > 0 ? en.workspaces.cutLines(text.cut) : null,
  ].filter((fact) => fact !== null);
}

const Lines = ({ text }: { readonly text: FileText }): ReactNode =>
  text.lines === 0 ? (
    <p className={styles['nothing']}>{en.workspaces.emptyFile}</p>
  ) : (
    <div className={styles['lines']} role="region" aria-label={en.workspaces.content} tabIndex={0}>
      {text.chunks.map((chunk) => (
        <Chunk key={chunk.first} chunk={chunk} digits={String(text.lines).length} />
      ))}
    </div>
  );

/** The height of a line in pixels, as the style sheet has it. */
const LINE_HEIGHT = 20;

/** Lines that the browser leaves out of its layout while they are out of view. Searching in the page finds them. */
const Chunk = memo(({ chunk, digits }: { readonly chunk: TextChunk; readonly digits: number }): ReactNode => {
  const { first, lines } = chunk;
  const height = `${String(lines.length * LINE_HEIGHT)}px`;
  return (
    <div className={styles['chunk']} style={{ containIntrinsicHeight: height }}>
      <pre className={styles['numbers']} aria-hidden="true" style={{ minWidth: `${String(digits + 2)}ch` }}>
        {lines.map((_, at) => first + at).join('\n')}
      </pre>
      <pre className={styles['code']}>
        <Shown text={lines.join('\n')} />
      </pre>
    </div>
  );
});
Chunk.displayName = 'Chunk';
