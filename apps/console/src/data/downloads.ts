// SPDX-License-Identifier: Apache-2.0
import type { ApiClient, Download, RequestOptions } from '@writ/client/web';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { saveFile } from '../parts/save-file.ts';
import { useSession } from './session.ts';

/** Chunks are folded into one blob after so many bytes: browsers keep large blobs on disk. */
const FOLD_BYTES = 16 * 1024 * 1024;
/** How often the number of bytes is shown anew, in milliseconds. */
const SHOW_MS = 200;
/** An archive takes as long as it takes; this ends one that hangs. */
const DOWNLOAD_MS = 12 * 60 * 60 * 1_000;

/** Reads a download to its end. One that breaks off rejects: a part of a file is never saved as the file. */
export async function gather(download: Download, count: (bytes: number) => void): Promise<Blob> {
  let [whole, parts, partBytes, bytes] = [new Blob([]), [] as BlobPart[], 0, 0];
  for await (const chunk of download) {
    parts.push(chunk as Uint8Array<ArrayBuffer>);
    partBytes += chunk.length;
    bytes += chunk.length;
    count(bytes);
    if (partBytes < FOLD_BYTES) continue;
    whole = new Blob([whole, ...parts]);
    [parts, partBytes] = [[], 0];
  }
  return new Blob([whole, ...parts]);
}

/** Opens a download by the client. */
export type OpenDownload = (api: ApiClient, options: RequestOptions) => Promise<Download>;

/** Saves a download as a file, and says how many bytes came. It ends with the part that shows it. */
export function useSaveDownload(name: string, open: OpenDownload) {
  const { api } = useSession();
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController | null>(null);
  const stop = (): void => running.current?.abort();
  useEffect(() => stop, []);
  const saving = useMutation({
    retry: false,
    mutationFn: async () => {
      const abort = new AbortController();
      running.current = abort;
      setBytes(0);
      let shownAt = 0;
      const count = (total: number): void => {
        if (performance.now() - shownAt < SHOW_MS) return;
        shownAt = performance.now();
        setBytes(total);
      };
      try {
        const download = await open(api, { signal: abort.signal, timeoutMs: DOWNLOAD_MS });
        saveFile(name, await gather(download, count));
      } catch (error) {
        // Stopping it is no failure.
        if (!abort.signal.aborted) throw error;
      }
    },
  });
  return { saving, bytes, stop };
}
