// SPDX-License-Identifier: Apache-2.0
import { SKILL_FILE } from '@writ/contract';
import { decodeText, quote, type FileToolOutcome } from '@writ/workspace';
import type { BlobReader } from '@writ/blobs';
import type { Call } from '../calls/runner.ts';

/** Names that a message tells: enough to find the one that was meant, few enough to stay a message. */
const TOLD_MAX = 24;

/**
 * Answers a call of `skill.read` from what the kernel found for it. A file of a skill is never longer than a result may
 * be, so it comes whole: as text, or as base64 where it is none.
 * @param read a content of the tenant by its hash, checked against it
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
  const told = names
    .slice(0, TOLD_MAX)
    .map((name) => `\`${name}\``)
    .join(', ');
  const more = names.length > TOLD_MAX ? ` and ${names.length - TOLD_MAX} more` : '';
  return {
    ok: false,
    code: 'skill.unknown',
    message: `${what}; ${names.length === 0 ? 'there are none' : `${those} ${told}${more}`}`,
    hint: 'ask for one that there is',
  };
}
