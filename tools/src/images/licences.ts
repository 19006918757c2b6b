// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imagePackages } from './sbom.ts';

const FILE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;
const RULE = '-'.repeat(80);

/** A package's licence files. */
const textsOf = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && FILE.test(entry.name))
        .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim())
    : [];

/** The licences of all packages in the image, also of bundled ones: many licences require their text in copies. */
export const licencesOf = (checkout: string): string =>
  imagePackages(checkout)
    .map(({ name, version, license, folder }) =>
      [`${name} ${version} (${license ?? 'no licence named'})`, ...textsOf(join(checkout, folder))].join('\n\n'),
    )
    .join(`\n\n${RULE}\n\n`)
    .concat('\n');
