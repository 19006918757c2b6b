// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { useSaveDownload, type OpenDownload } from '../data/downloads.ts';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';
import { errorText } from './loading.tsx';
import { Shown } from './shown.tsx';

interface DownloadGiven {
  readonly label: string;
  /** the name of the file, a safe one */
  readonly name: string;
  readonly open: OpenDownload;
}

/** Saves a file, shows how much of it came, and says in words why it failed. */
export function DownloadButton({ label, name, open }: DownloadGiven): ReactNode {
  const { saving, bytes, stop } = useSaveDownload(name, open);
  return (
    <span className={controls['inline']}>
      {saving.isPending ? (
        <>
          <button type="button" className={controls['button']} onClick={stop}>
            {en.download.stop}
          </button>
          <span role="status">{en.download.running(bytes)}</span>
        </>
      ) : (
        <button type="button" className={controls['button']} onClick={() => saving.mutate()}>
          {label}
        </button>
      )}
      {saving.isError ? (
        <span role="alert" className={controls['bad']}>
          <Shown text={errorText(saving.error)} />
        </span>
      ) : null}
    </span>
  );
}
