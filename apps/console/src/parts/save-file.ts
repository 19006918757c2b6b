// SPDX-License-Identifier: Apache-2.0

/** Offers a content as a file to save. A name that others chose goes through `safeFileName`. */
export function saveFile(name: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
