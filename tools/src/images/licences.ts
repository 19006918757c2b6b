// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imagePackages } from './sbom.ts';

const FILE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;
const RULE = '-'.repeat(80);

/** The files of a package that say under which licence it is. */
const textsOf = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && FILE.test(entry.name))
        .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim())
    : [];

/**
 * The licences of all packages that the image holds or that are joined into a program: many ask that their text goes
 * with them.
 */
export const licencesOf = (checkout: string): string =>
  imagePackages(checkout)
    .map(({ name, version, license, folder }) =>
      [`${name} ${version} (${license ?? 'no licence named'})`, ...textsOf(join(checkout, folder))].join('\n\n'),
    )
    .join(`\n\n${RULE}\n\n`)
    .concat('\n');
