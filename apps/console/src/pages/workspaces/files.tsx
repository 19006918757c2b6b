// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import controls from '../../design/controls.module.css';
import { DownloadButton } from '../../parts/download-button.tsx';
import { safeFileName } from '../../parts/safe-file-name.ts';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { FileTree } from './file-tree.tsx';
import { FileView } from './file-view.tsx';
import type { Change } from './workspace-search.ts';
import styles from './workspaces.module.css';

interface Place {
  readonly workspaceId: string;
  readonly snapshotId: string;
}

interface FilesGiven {
  readonly place: Place;
  /** a file, or a directory with a slash at its end */
  readonly path: string | null;
  readonly change: Change;
}

/** The tree of a snapshot beside the file that was chosen in it. */
export function Files({ place, path, change }: FilesGiven): ReactNode {
  return (
    <div className={styles['files']}>
      <FileTree place={place} chosen={path} choose={(chosen) => change({ path: chosen })} />
      <div className={styles['file']}>
        {path === null ? (
          <p className={`${controls['hint']} ${styles['nothing']}`}>{en.workspaces.chooseFile}</p>
        ) : path.endsWith('/') ? (
          <Directory place={place} path={path.slice(0, -1)} />
        ) : (
          <FileView key={path} place={place} path={path} />
        )}
      </div>
    </div>
  );
}

const Directory = ({ place, path }: { readonly place: Place; readonly path: string }): ReactNode => (
  <div className={styles['fileHeading']}>
    <h2 className={styles['filePath']}>
      <Shown text={`${path}/`} isCode />
    </h2>
    <DownloadButton
      key={path}
      label={en.workspaces.downloadDirectory}
      name={`${safeFileName(path)}.tar`}
      open={(api, options) => api.workspaces.export(place.workspaceId, { at: place.snapshotId, path }, options)}
    />
  </div>
);
