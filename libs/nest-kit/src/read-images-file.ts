// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Fault, parseMessage, SandboxImages } from '@writ/contract';

/**
 * Reads the images in which calls may run, in addition to the deployment's own; none without a path.
 * @throws Error that names the variable and the problem of its file
 */
export function readImagesFile(variable: string, path: string | undefined): SandboxImages {
  if (path === undefined) return { v: 1, images: [] };
  try {
    return parseMessage(SandboxImages, JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = error instanceof Fault || error instanceof SyntaxError ? error.message : 'it cannot be read';
    throw new Error(`the file of \`${variable}\` is no list of images: ${why}`, { cause: error });
  }
}
