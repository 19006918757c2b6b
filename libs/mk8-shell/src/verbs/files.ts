// SPDX-License-Identifier: Apache-2.0
import { glob, optional, path, text } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import { refused, StepError } from '../run/step-error.ts';
import { globTest } from './glob.ts';
import { listed, yesOrNo } from './lines.ts';

const verb = verbsOf('files');
const edit = verbsOf('edits');
const batch = verbsOf('batch');
const instant = (ms: number): string => new Date(ms).toISOString();

/** The first keys of a template, as a text. */
function keysIn(keys: ReadonlySet<string>): string {
  const named = [...keys].slice(0, 8).map((key) => `\`{{${key}}}\``);
  return `${named.join(', ')}${keys.size > named.length ? ` and ${keys.size - named.length} more` : ''}`;
}

export const FILE_VERBS: readonly Verb[] = [
  verb('FileRead', 'reads', 'the text of a file', [path('path')], ['$WORKSPACE/a.txt'], ([file = ''], { files }) =>
    files.text(file),
  ),
  verb(
    'FileWrite',
    'writes',
    'writes a file anew, and directories on the way',
    [path('path', 'write'), text('content')],
    ['$WORKSPACE/new/b.txt', 'two\n'],
    async ([file = '', content = ''], { files }) => {
      await files.write(file, content);
      return `wrote ${Buffer.byteLength(content)} bytes to ${files.shown(file)}`;
    },
  ),
  verb(
    'FileAppend',
    'writes',
    'adds to the end of a file, or makes it',
    [path('path', 'write'), text('content')],
    ['$WORKSPACE/a.txt', 'more\n'],
    async ([file = '', content = ''], { files }) => {
      await files.write(file, content, 'append');
      return `added ${Buffer.byteLength(content)} bytes to ${files.shown(file)}`;
    },
  ),
  verb(
    'FileDelete',
    'writes',
    'deletes a file; one that is not there is deleted already',
    [path('path', 'delete')],
    ['$WORKSPACE/a.txt'],
    async ([file = ''], { files }) => {
      await files.remove(file, 'file');
      return `deleted ${files.shown(file)}`;
    },
  ),
  verb(
    'FileExists',
    'reads',
    'whether there is a file',
    [path('path')],
    ['$WORKSPACE/a.txt'],
    async ([file = ''], { files }) => yesOrNo((await files.stat(file))?.kind === 'file'),
  ),
  verb(
    'FileList',
    'reads',
    'files of a directory, by paths; a pattern narrows their names',
    [path('path'), optional(glob('pattern'))],
    ['$WORKSPACE/src', '*.md'],
    async ([folder = '', pattern = '*'], { files }) => {
      const fits = globTest(pattern);
      const entries = await files.list(folder);
      return listed(
        entries
          .filter(({ name, kind }) => kind === 'file' && fits(name))
          .map(({ name }) => files.shown(folder === '' ? name : `${folder}/${name}`)),
      );
    },
  ),
  verb(
    'FileCopy',
    'writes',
    'copies a file',
    [path('source'), path('target', 'write')],
    ['$WORKSPACE/a.txt', '$WORKSPACE/copy.txt'],
    async ([source = '', target = ''], { files }) => {
      await files.write(target, await files.bytes(source));
      return `copied ${files.shown(source)} to ${files.shown(target)}`;
    },
  ),
  verb(
    'FileMove',
    'writes',
    'moves a file',
    [path('source', 'delete'), path('target', 'write')],
    ['$WORKSPACE/a.txt', '$WORKSPACE/moved.txt'],
    async ([source = '', target = ''], { files }) => {
      await files.move(source, target);
      return `moved ${files.shown(source)} to ${files.shown(target)}`;
    },
  ),
  verb(
    'FileInfo',
    'reads',
    'what is known of a file or directory',
    [path('path')],
    ['$WORKSPACE/a.txt'],
    async ([file = ''], { files }) => {
      const facts = await files.stat(file);
      if (facts === null) throw new StepError(`there is no \`${files.shown(file)}\``);
      return listed([
        `path: ${files.shown(file)}`,
        `kind: ${facts.kind}`,
        `bytes: ${facts.size}`,
        `modified: ${instant(facts.modifiedMs)}`,
      ]);
    },
  ),
  batch(
    'FileWriteMany',
    'writes',
    'writes files anew',
    [path('path', 'write'), text('content')],
    ['$WORKSPACE/b.txt', 'two', '$WORKSPACE/c.txt', 'three'],
    null,
    { most: 128, pairs: true },
  ),
  batch(
    'FileCopyMany',
    'writes',
    'copies files',
    [path('source'), path('target', 'write')],
    ['$WORKSPACE/a.txt', '$WORKSPACE/b.txt', '$WORKSPACE/a.txt', '$WORKSPACE/c.txt'],
    null,
    { most: 128, pairs: true },
  ),
  batch(
    'FileDeleteMany',
    'writes',
    'deletes files',
    [path('path', 'delete')],
    ['$WORKSPACE/a.txt', '$WORKSPACE/absent.txt'],
    null,
    { most: 64 },
  ),
  edit(
    'FileTemplate',
    'writes',
    'writes a file with every `{{KEY}}` of a source replaced',
    [path('output path', 'write')],
    ['$WORKSPACE/greeting.txt'],
    async ([output = ''], { files, template }) => {
      if (template === null) throw refused('FileTemplate needs `template`');
      const source = await files.text(template.source);
      const unfilled = new Set<string>();
      // In one pass, so that placeholders in values are not replaced.
      const made = source.replaceAll(/\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g, (whole, key: string) => {
        const value = template.values.get(key);
        if (value === undefined) unfilled.add(key);
        return value ?? whole;
      });
      if (unfilled.size > 0) throw refused(`the template has no value for ${keysIn(unfilled)}; nothing was written`);
      await files.write(output, made);
      return `wrote ${Buffer.byteLength(made)} bytes to ${files.shown(output)}`;
    },
    {
      setUp: [{ verb: 'FileWrite', args: ['$WORKSPACE/hello.template', 'Hello {{NAME}}'] }],
      fields: { template: { source: '$WORKSPACE/hello.template', values: { NAME: 'world' } } },
    },
  ),
  edit(
    'FilePatch',
    'writes',
    'replaces literal texts, each wherever it stands, in the order of the patches',
    [path('target path', 'write')],
    ['$WORKSPACE/a.txt'],
    async ([target = ''], { files, patches }) => {
      let content = await files.text(target);
      let count = 0;
      for (const [n, { find, replace }] of patches.entries()) {
        const parts = content.split(find);
        if (parts.length === 1)
          throw new StepError(`patch ${n} matches nothing in \`${files.shown(target)}\`; no patch was applied`);
        count += parts.length - 1;
        content = parts.join(replace);
      }
      await files.write(target, content);
      return `replaced ${count} in ${files.shown(target)}`;
    },
    { fields: { patches: [{ find: 'one', replace: 'two' }] } },
  ),
];
