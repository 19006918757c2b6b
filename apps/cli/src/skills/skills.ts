// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { SkillPutReply, SkillView, SkillDetails } from '@writ/contract';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteNamedCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { createVerb, getVerb } from '../verbs.ts';
import { readFolder, type FolderFile } from './read-folder.ts';

const PATH = '/v1/skills';
const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;
/** Enough of a digest to distinguish versions of a skill. */
const DIGEST_CHARS = 12;

/** `writ skill`: folders of guidance that agents read. */
export function skillCommand(context: Context): Command {
  return new Command('skill')
    .description('Skills: folders with a SKILL.md that administrators upload and agents read (skill.read).')
    .addCommand(
      listCommand(context, {
        item: SkillView,
        path: PATH,
        head: ['skill', 'version', 'files', 'bytes', 'updated', 'description'],
        rowOf: ({ name, digest, files, bytes, updated_at, description }) => [
          name,
          digest.slice(0, DIGEST_CHARS),
          String(files),
          String(bytes),
          momentOf(updated_at),
          visibleLine(description),
        ],
      }),
      { isDefault: true },
    )
    .addCommand(showCommand(context))
    .addCommand(addCommand(context))
    .addCommand(
      deleteNamedCommand(context, 'skill', 'removes a skill with all its versions: no further call reads it', pathOf),
    );
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one skill with its files and versions').argument('<skill>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const skill = await connect(context, options, 'operator').client.read(SkillDetails, pathOf(name));
    show(context, options, skill, () =>
      [
        fieldsOf({
          skill: skill.name,
          description: visibleLine(skill.description),
          version: skill.digest,
          updated: `${momentOf(skill.updated_at)} by ${skill.updated_by}`,
        }),
        tableOf(
          ['file', 'bytes', 'sha256'],
          skill.files.map(({ path, size, sha256 }) => [visibleLine(path), String(size), sha256]),
        ),
        tableOf(
          ['version', 'bytes', 'uploaded'],
          skill.versions.map(({ digest, bytes, created_by, created_at }) => [
            digest,
            String(bytes),
            `${momentOf(created_at)} by ${created_by}`,
          ]),
        ),
      ].join('\n\n'),
    );
  });
}

function addCommand(context: Context): Command {
  const command = createVerb('add')
    .description('uploads a folder with a SKILL.md as the newest version of its skill')
    .argument('<folder>');
  return command.action(async (folder: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const files = readFolder(resolve(context.cwd, folder));
    const body = {
      files: files.map(({ path, bytes }) => ({
        path,
        content: Buffer.from(bytes).toString('base64'),
        encoding: 'base64',
      })),
    };
    const answer = await connect(context, options, 'admin').client.read(SkillPutReply, PATH, { method: 'POST', body });
    const { valid, problems, change, skill } = answer;
    if (!valid || skill === null)
      throw new CliError(
        'skill.invalid',
        `nothing was uploaded\n${problems.map((problem) => problemLine(problem, files)).join('\n')}`,
      );
    show(
      context,
      options,
      { change, skill },
      () =>
        `${fieldsOf({ skill: skill.name, description: visibleLine(skill.description), version: skill.digest, files: String(skill.files), bytes: String(skill.bytes) })}\n${change ?? ''}. Agents whose token grants \`skill.read\` are told of it.`,
    );
  });
}

/** A problem with its file; messages about a SKILL.md already contain the name. */
function problemLine({ pointer, message }: SkillPutReply['problems'][number], files: readonly FolderFile[]): string {
  const [, index, member] = /^\/files\/(\d+)\/(content|path)$/.exec(pointer) ?? [];
  const file = files[Number(index ?? -1)];
  const names = file === undefined || member === 'path' || message.startsWith(file.path) ? '' : `${file.path}: `;
  return visibleLine(`${names}${message}`);
}
