// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { localSettings, verifyUrl } from '../http/connection.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { createVerb, getVerb, updateVerb } from '../verbs.ts';
import {
  contextNamed,
  LOCAL,
  readContexts,
  verifyContextName,
  writeContexts,
  type ContextsFile,
  type StoredContext,
} from './contexts-file.ts';

interface DefaultOptions extends CommonOptions {
  /** false: without this default; true: unchanged */
  readonly workspace?: string | boolean;
  readonly token?: string | boolean;
  readonly agent?: string | boolean;
}

/** `writ context`. */
export function contextCommand(context: Context): Command {
  return new Command('context')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(getCommand(context))
    .addCommand(useCommand(context))
    .addCommand(createCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(removeCommand(context));
}

/** What is shown of a context: everything but its credential. */
const viewOf = (name: string, isCurrent: boolean, { credential, ...stored }: StoredContext) => ({
  name,
  current: isCurrent,
  ...stored,
  credential: credential.kind,
  ...(credential.kind === 'session'
    ? { tenant_id: credential.tenant_id, session_expires_at: credential.secret === null ? null : credential.expires_at }
    : {}),
});
type ContextView = ReturnType<typeof viewOf>;

const describe = (view: ContextView): string =>
  fieldsOf({
    context: view.name,
    current: view.current ? 'yes' : 'no',
    address: view.url,
    workspace: view.workspace_id,
    token: view.capability_token_id,
    agent: view.agent_id,
    tenant: view.tenant_id,
    session: sessionOf(view),
  });

/** Of a context with a session: until when somebody is signed in. */
function sessionOf({ session_expires_at: end }: ContextView): string | undefined {
  if (end === undefined) return undefined;
  return end === null ? 'signed out' : `until ${momentOf(end)}`;
}

/** The context that commands use without an option: the one of the environment, else the current one. */
const currentOf = (context: Context, { current }: ContextsFile): string => context.env.context ?? current ?? LOCAL;

function listCommand(context: Context): Command {
  const command = new Command('list').description('your contexts; `local` is what `npm start` runs');
  return command.action(() => {
    const options = command.optsWithGlobals<CommonOptions>();
    const file = readContexts(context.env);
    const current = currentOf(context, file);
    const local = localSettings(context);
    const items = [
      ...(local === null ? [] : [{ name: LOCAL, current: current === LOCAL, url: local.settings.url }]),
      ...Object.entries(file.contexts).map(([name, stored]) => viewOf(name, name === current, stored)),
    ];
    show(context, options, { items }, () =>
      items.length === 0
        ? 'no contexts; `writ context create NAME --url URL` makes one'
        : tableOf(
            ['', 'context', 'address'],
            items.map((each) => [each.current ? '*' : '', each.name, each.url]),
          ),
    );
  });
}

function getCommand(context: Context): Command {
  const command = getVerb().description('a context without its credential').argument('[context]', 'the current one');
  return command.action((name?: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const file = readContexts(context.env);
    const current = currentOf(context, file);
    const wanted = name ?? current;
    if (wanted === LOCAL) throw usage(`\`${LOCAL}\` is what \`npm start\` runs: \`writ status\` shows it`);
    const view = viewOf(wanted, wanted === current, contextNamed(file, wanted));
    show(context, options, view, () => describe(view));
  });
}

function useCommand(context: Context): Command {
  const command = new Command('use')
    .description(`use a context from now on; \`${LOCAL}\` is what \`npm start\` runs`)
    .argument('<context>');
  return command.action((name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const file = readContexts(context.env);
    if (name !== LOCAL) contextNamed(file, name);
    writeContexts(context.env, { ...file, current: name === LOCAL ? null : name });
    show(context, options, { name, current: true }, () => `${name} is used from now on`);
    if (context.env.context !== undefined && context.env.context !== name)
      context.writeError(`note: WRIT_CONTEXT is set, so \`${context.env.context}\` is used in this shell\n`);
  });
}

const withDefaults = (command: Command): Command =>
  command
    .option('--workspace <id>', 'the workspace of calls that name none')
    .option('--token <id>', 'the capability token of calls that name none')
    .option('--agent <id>', 'the agent of calls that name none');

function createCommand(context: Context): Command {
  const command = withDefaults(
    createVerb()
      .description('a server with a key, which is typed without echo or read from standard input')
      .argument('<context>'),
  );
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<DefaultOptions>();
    const file = readContexts(context.env);
    if (Object.hasOwn(file.contexts, verifyContextName(name)))
      throw usage(`there is a context \`${name}\` already: delete it, or take another name`);
    if (options.url === undefined) throw usage('`--url` is missing: the address of the server');
    const url = verifyUrl(options.url);
    const secret = (options.apiKey ?? (await context.readHidden('API key (not shown): '))).trim();
    if (secret === '') throw usage('an API key is needed: type it, or send it on standard input');
    const stored = { url, credential: { kind: 'api_key' as const, secret }, ...changesOf(options) };
    const current = file.current ?? (Object.keys(file.contexts).length === 0 ? name : file.current);
    writeContexts(context.env, { ...file, current, contexts: { ...file.contexts, [name]: stored } });
    const view = viewOf(name, current === name, stored);
    show(context, options, view, () => describe(view));
  });
}

function updateCommand(context: Context): Command {
  const command = withDefaults(
    updateVerb()
      .description('change the defaults of a context; its address and its key stay')
      .argument('<context>')
      .option('--no-workspace', 'without a default workspace')
      .option('--no-token', 'without a default token')
      .option('--no-agent', 'without a default agent'),
  );
  return command.action((name: string) => {
    const options = command.optsWithGlobals<DefaultOptions>();
    if (options.url !== undefined || options.apiKey !== undefined)
      throw usage('a context keeps its address and its key: delete it and create it again to change them');
    const file = readContexts(context.env);
    const stored = { ...contextNamed(file, name), ...changesOf(options) };
    writeContexts(context.env, { ...file, contexts: { ...file.contexts, [name]: stored } });
    const view = viewOf(name, name === currentOf(context, file), stored);
    show(context, options, view, () => describe(view));
  });
}

/**
 * The defaults that the options name. One that is cleared is undefined, so that it isn't written. Commander sets an
 * option with a `--no-` form to true unless it is given.
 */
function changesOf({ workspace, token, agent }: DefaultOptions): Partial<StoredContext> {
  const named = { workspace_id: workspace, capability_token_id: token, agent_id: agent };
  const changed = Object.entries(named).filter(([, value]) => value !== undefined && value !== true);
  return Object.fromEntries(changed.map(([member, value]) => [member, value === false ? undefined : value]));
}

function removeCommand(context: Context): Command {
  const command = deleteCommand()
    .description('forget a context with its key; revoke a key that nobody needs: `writ key revoke`')
    .argument('<context>');
  return command.action((name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const file = readContexts(context.env);
    const { credential } = contextNamed(file, name);
    const { [name]: _gone, ...contexts } = file.contexts;
    const isCurrent = file.current === name;
    writeContexts(context.env, { ...file, ...(isCurrent ? { current: null } : {}), contexts });
    show(context, options, { name, removed: true }, () => `removed ${name}`);
    if (credential.kind === 'session' && credential.secret !== null)
      context.writeError('note: its session goes on until it ends by itself: `writ logout` ends one at once\n');
    if (isCurrent && Object.keys(contexts).length > 0)
      context.writeError('note: it was the current one; `writ context use` selects another\n');
  });
}
