// SPDX-License-Identifier: Apache-2.0
import { SKILL_FILE } from '@writ/contract';
import { decodeText, quote, type FileToolOutcome } from '@writ/workspace';
import type { BlobReader } from '@writ/blobs';
import type { Call } from '../calls/runner.ts';

/** Names in a message: enough to find the intended one, and few enough to stay readable. */
const NAMES_SHOWN_MAX = 24;

/**
 * Answers a call of `skill.read` from what the kernel found for it. A file of a skill is never longer than a result may
 * be, so it is returned completely: as text, or as base64 where it is no text.
 * @param read reads a content of the tenant by its hash and verifies it
 */
export async function runSkillTool(
  { toolId, args, skill }: Pick<Call, 'toolId' | 'args' | 'skill'>,
  read: BlobReader,
): Promise<FileToolOutcome<unknown>> {
  if (skill === undefined) throw new Error(`a call of \`${toolId}\` came without its skill`);
  const { found, names } = skill;
  if (found === null) return absent(`there is no skill ${quote(String(args['skill']))}`, 'the skills are', names);
  const { name, files } = found.manifest;
  const path = String(args['path'] ?? SKILL_FILE);
  const file = files.find((each) => each.path === path);
  if (file === undefined)
    return absent(
      `the skill \`${name}\` has no file ${quote(path)}`,
      'its files are',
      files.map((each) => each.path),
    );
  const bytes = await read(file.sha256);
  const text = decodeText(bytes);
  const content =
    text === null
      ? { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' }
      : { content: text, encoding: 'utf8' };
  return {
    ok: true,
    delta: null,
    blobs: [],
    result: {
      skill: name,
      digest: found.digest,
      path,
      ...content,
      size: file.size,
      sha256: file.sha256,
      files: files.map((each) => ({ path: each.path, size: each.size })),
    },
  };
}

function absent(what: string, those: string, names: readonly string[]): FileToolOutcome<never> {
  const shown = names
    .slice(0, NAMES_SHOWN_MAX)
    .map((name) => `\`${name}\``)
    .join(', ');
  const more = names.length > NAMES_SHOWN_MAX ? ` and ${names.length - NAMES_SHOWN_MAX} more` : '';
  return {
    ok: false,
    code: 'skill.unknown',
    message: `${what}; ${names.length === 0 ? 'there are none' : `${those} ${shown}${more}`}`,
    hint: 'ask for one that there is',
  };
}
