// SPDX-License-Identifier: Apache-2.0
import { ImageLog, ImageView, type ImageSource } from '@writ/contract';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteNamedCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { readJsonOption } from '../read-json.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { visible, visibleLine } from '../visible.ts';
import { getVerb } from '../verbs.ts';

const PATH = '/v1/images';
const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

/** `writ image`: images that commands run in. */
export function imageCommand(context: Context): Command {
  return new Command('image')
    .description(
      'Images that commands run in: of a registry, of the engine, or built from a list of packages. An image never changes: remove it, and register another.',
    )
    .addCommand(
      listCommand(context, {
        item: ImageView,
        path: PATH,
        head: ['image', 'state', 'tools', 'digest', 'created'],
        rowOf: ({ name, state, tools, image_digest, created_at }) => [
          name,
          state,
          tools.join(' '),
          image_digest ?? '',
          momentOf(created_at),
        ],
      }),
      { isDefault: true },
    )
    .addCommand(showCommand(context))
    .addCommand(logCommand(context))
    .addCommand(createCommand(context))
    .addCommand(
      deleteNamedCommand(
        context,
        'image',
        'removes an image: no further call runs in it, including waiting ones',
        pathOf,
      ),
    );
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one image in full').argument('<image>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const image = await connect(context, options, 'operator').client.read(ImageView, pathOf(name));
    show(context, options, image, () => describeImage(image));
  });
}

function logCommand(context: Context): Command {
  const command = new Command('log').description('the end of what its builder wrote').argument('<image>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const log = await connect(context, options, 'operator').client.read(ImageLog, `${pathOf(name)}/log`);
    show(context, options, log, () => visible(log.log));
  });
}

interface CreateOptions extends CommonOptions {
  readonly reference?: string;
  readonly digest?: string;
  readonly recipe?: string;
  readonly base?: string;
  readonly debian?: readonly string[];
  readonly npm?: readonly string[];
  readonly pip?: readonly string[];
  readonly tool?: readonly string[];
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

function createCommand(context: Context): Command {
  const command = new Command('create')
    .description('registers an image, which an executor then fetches or builds')
    .argument('<image>')
    .option('--reference <text>', 'an image of a registry: registry/repository@sha256:…')
    .option('--digest <text>', 'an image that the engines of the executors have: sha256:…')
    .option(
      '--recipe <json>',
      'a recipe: JSON, FILE or @FILE, or - for standard input: {"debian": [{"name": "…", "version": "…"}], …}',
    )
    .option('--base <text>', 'of a recipe: the image that packages are added to, a reference or a digest')
    .option('--debian <name=version>', 'of a recipe: a package of Debian; may be repeated', collect)
    .option('--npm <name=version>', 'of a recipe: a package of npm; may be repeated', collect)
    .option('--pip <name=version>', 'of a recipe: a package of a Python index; may be repeated', collect)
    .option('--tool <tool>', 'a tool whose calls run in it, like shell.run; may be repeated', collect);
  return command.action(async (name: string) => {
    const { tool = [], ...options } = command.optsWithGlobals<CreateOptions>();
    const body = { name, source: await sourceOf(context, options), tools: tool };
    const image = await connect(context, options, 'admin').client.read(ImageView, PATH, { method: 'POST', body });
    show(
      context,
      options,
      image,
      () => `${describeImage(image)}\nIt is ready in a while: writ image show ${image.name}`,
    );
  });
}

async function sourceOf(
  context: Context,
  { reference, digest, recipe, base, debian, npm, pip }: CreateOptions,
): Promise<ImageSource> {
  const lists = { debian, npm, pip };
  const written = {
    ...(base === undefined ? {} : { base }),
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([kind, list]) => (list === undefined ? [] : [[kind, list.map(packageOf)]])),
    ),
  };
  const sources: ImageSource[] = [
    ...(reference === undefined ? [] : [{ reference }]),
    ...(digest === undefined ? [] : [{ digest }]),
    ...(recipe === undefined ? [] : [{ recipe: await recipeIn(context, recipe) }]),
    ...(Object.keys(written).length === 0 ? [] : [{ recipe: written }]),
  ];
  const [source] = sources;
  if (source === undefined || sources.length > 1)
    throw usage('name exactly one of `--reference`, `--digest`, `--recipe` and packages');
  return source;
}

type Recipe = Extract<ImageSource, { recipe: object }>['recipe'];

/** As every option with JSON, and the name of a file by itself. The API examines what is in it. */
async function recipeIn(context: Context, text: string): Promise<Recipe> {
  const option = /^[@{-]/.test(text) ? text : `@${text}`;
  return (await readJsonOption(context, '--recipe', option)) as unknown as Recipe;
}

/** The last `=`, since no version has one. */
function packageOf(text: string): { name: string; version: string } {
  const at = text.lastIndexOf('=');
  if (at < 1 || /[<>=!~]$/.test(text.slice(0, at)))
    throw usage(`\`${text}\` is no package of one exact version: write NAME=VERSION`);
  return { name: text.slice(0, at), version: text.slice(at + 1) };
}

function describeImage(image: ImageView): string {
  const { name, source, digest, tools, state, image_digest, problem, created_by, created_at } = image;
  return fieldsOf({
    image: name,
    source: visibleLine(JSON.stringify(source)),
    tools: tools.join(', ') || 'those of profiles and programs that name it',
    state: problem === null ? state : `${state}: ${visibleLine(problem)}`,
    'runs as': image_digest ?? 'nothing yet',
    digest,
    created: `${momentOf(created_at)} by ${created_by}`,
  });
}
