// SPDX-License-Identifier: Apache-2.0
import type { DiffFile } from '@writ/client/web';
import { memo, useState, type ReactNode } from 'react';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';
import styles from './diff.module.css';
import { Badge } from './marks.tsx';
import { Shown } from './shown.tsx';
import { linesOf, rowsOf, type DiffLine } from './unified-diff.ts';

type View = 'unified' | 'split';

interface FilesGiven {
  readonly files: readonly DiffFile[];
  readonly total: number;
  /** says how many there are, where they are no files */
  readonly count?: (total: number) => string;
}

/** Differences of files, as unified texts or side by side. */
export function Diff({ files, total, count }: FilesGiven): ReactNode {
  const [view, setView] = useState<View>('unified');
  const deleted = new Map(
    files.flatMap((file) => (file.change === 'deleted' ? [[contentOf(file.before), file.path]] : [])),
  );
  return (
    <div>
      <div className={styles['tools']}>
        <span>{count === undefined ? en.diff.files(files.length, total) : count(total)}</span>
        <select
          className={controls['select']}
          aria-label={en.diff.view}
          value={view}
          onChange={(event) => setView(event.target.value as View)}
        >
          <option value="unified">{en.diff.unified}</option>
          <option value="split">{en.diff.split}</option>
        </select>
      </div>
      {files.map((file) => (
        <File key={file.path} file={file} view={view} movedFrom={movedFrom(file, deleted)} />
      ))}
    </div>
  );
}

const contentOf = (state: DiffFile['before']): string | null => state?.sha256 ?? null;

function movedFrom(file: DiffFile, deleted: ReadonlyMap<string | null, string>): string | null {
  const content = contentOf(file.after);
  return file.change === 'added' && content !== null ? (deleted.get(content) ?? null) : null;
}

interface ModesGiven {
  readonly before: string | null;
  readonly after: string | null;
}

/** Shown where a file that stays got other rights, such as to be run. */
const ModeChange = ({ before, after }: ModesGiven): ReactNode =>
  before === null || after === null || before === after ? null : (
    <Badge tone="warn">{en.diff.mode(before, after)}</Badge>
  );

interface FileGiven {
  readonly file: DiffFile;
  readonly view: View;
  readonly movedFrom: string | null;
}

const File = memo(({ file, view, movedFrom: from }: FileGiven): ReactNode => {
  const { before, after, change } = file;
  return (
    <section className={styles['file']}>
      <h3 className={styles['heading']}>
        <Badge tone={change === 'added' ? 'good' : change === 'deleted' ? 'bad' : null}>{en.diff[change]}</Badge>
        <span className={styles['path']}>
          <Shown text={file.path} />
        </span>
        {from === null ? null : (
          <span className={controls['hint']}>
            <Shown text={en.diff.moved(from)} />
          </span>
        )}
        <ModeChange before={before?.mode ?? null} after={after?.mode ?? null} />
        <span className={styles['counts']}>
          {file.added_lines === null ? null : <span className={styles['plus']}>+{file.added_lines} </span>}
          {file.removed_lines === null ? null : <span className={styles['minus']}>−{file.removed_lines}</span>}
        </span>
      </h3>
      <div className={styles['body']}>
        {file.text === null ? (
          <NoText file={file} />
        ) : view === 'unified' ? (
          <Unified text={file.text} />
        ) : (
          <Split text={file.text} />
        )}
      </div>
    </section>
  );
});
File.displayName = 'File';

function NoText({ file: { why_no_text: why, before, after } }: { readonly file: DiffFile }): ReactNode {
  return (
    <p style={{ padding: '0.75rem' }}>
      {why === null ? null : en.diff[why]}{' '}
      {why === 'not_a_file'
        ? null
        : [before, after].flatMap((state) => (state === null ? [] : [en.diff.bytes(state.size)])).join(' → ')}
    </p>
  );
}

const SIGNS = { added: '+', removed: '−', same: ' ', hunk: ' ', note: ' ' } as const;
const beforeOf = (line: DiffLine | null): string => (line !== null && 'before' in line ? String(line.before) : '');
const afterOf = (line: DiffLine | null): string => (line !== null && 'after' in line ? String(line.after) : '');

const Unified = memo(({ text }: { readonly text: string }): ReactNode => (
  <table className={styles['lines']}>
    <tbody>
      {linesOf(text).map((line, at) => (
        <tr key={at} className={styles[line.kind]}>
          <td className={styles['number']}>{beforeOf(line)}</td>
          <td className={styles['number']}>{afterOf(line)}</td>
          <td className={styles['sign']}>{SIGNS[line.kind]}</td>
          <td className={styles['text']}>
            <Shown text={line.text} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
));
Unified.displayName = 'Unified';

function Half({ line, number }: { readonly line: DiffLine | null; readonly number: string }): ReactNode {
  const ground = line === null ? styles['none'] : styles[line.kind];
  return (
    <>
      <td className={`${styles['number']} ${ground}`}>{number}</td>
      <td className={`${styles['text']} ${styles['half']} ${ground}`}>
        {line === null ? null : <Shown text={line.text} />}
      </td>
    </>
  );
}

const Split = memo(({ text }: { readonly text: string }): ReactNode => (
  <table className={styles['lines']}>
    <tbody>
      {rowsOf(linesOf(text)).map(({ before, after }, at) => (
        <tr key={at}>
          <Half line={before} number={beforeOf(before)} />
          <Half line={after} number={afterOf(after)} />
        </tr>
      ))}
    </tbody>
  </table>
));
Split.displayName = 'Split';
