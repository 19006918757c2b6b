// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { Type } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import {
  LOCAL,
  readContexts,
  verifyContextName,
  writeContexts,
  type ContextsFile,
  type StoredContext,
} from '../contexts/contexts-file.ts';
import { Client } from '../http/client.ts';
import { verifyUrl } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { askForCodes, awaitSession, pageOf, type Codes } from './device-flow.ts';
import { endSession } from './logout.ts';

interface LoginOptions extends CommonOptions {
  readonly tenant?: string;
  readonly browser: boolean;
}

/** Who signed in. Open, since a newer server says more. */
const SignedIn = Type.Object({
  sign_in: Type.Union([
    Type.Object({ person_id: Type.String(), provider: Type.String(), roles: Type.Array(Type.String()) }),
    Type.Null(),
  ]),
});

/** Where to sign in, and the context that is there already. */
interface Target {
  readonly name: string;
  readonly url: string;
  readonly tenant: string;
  readonly existing: StoredContext | null;
}

/** `writ login`. */
export function loginCommand(context: Context): Command {
  const command = new Command('login')
    .description('sign in as a person: prints an address and a code, and waits until you have approved it in a browser')
    .argument('[context]', 'a new one, or one that you have signed in to before; default: the current one')
    .option('--tenant <id>', 'the tenant whose identity provider you sign in at; a new context needs it')
    .option('--no-browser', 'open no browser');
  return command.action(async (name?: string) => {
    const options = command.optsWithGlobals<LoginOptions>();
    const target = targetOf(context, options, name);
    const codes = await askForCodes(target.url, target.tenant);
    await showCodes(context, codes, options.browser);
    const session = await awaitSession(target.url, codes, { now: () => Date.now(), sleep: async (ms) => sleep(ms) });
    store(context, target, {
      kind: 'session',
      tenant_id: target.tenant,
      secret: session.secret,
      renewed_at: Date.now(),
      expires_at: Math.floor(session.expiresAt),
    });
    await endFormer(target);
    const { sign_in } = await new Client(target.url, session.secret).read(SignedIn, '/v1/sign-in');
    const view = {
      name: target.name,
      url: target.url,
      tenant_id: target.tenant,
      person_id: sign_in?.person_id ?? null,
      provider: sign_in?.provider ?? null,
      roles: sign_in?.roles ?? [],
      expires_at: Math.floor(session.expiresAt),
    };
    show(context, options, view, () =>
      fieldsOf({
        context: `${view.name}, which is used from now on`,
        address: view.url,
        person: view.person_id,
        'identity provider': view.provider,
        roles: view.roles.join(' '),
        'session until': momentOf(view.expires_at),
      }),
    );
  });
}

/** INVARIANT (one source): a context keeps its address, so a session goes nowhere else than it was given for. */
function targetOf(context: Context, options: LoginOptions, given: string | undefined): Target {
  if (options.apiKey !== undefined || options.as !== undefined)
    throw usage('who signs in needs no key: leave out `--api-key` and `--as`');
  const file = readContexts(context.env);
  const name = given ?? options.context ?? context.env.context ?? file.current ?? LOCAL;
  if (name === LOCAL) throw usage('name a context: `writ login NAME --url URL --tenant TENANT`');
  const existing = Object.hasOwn(file.contexts, name) ? (file.contexts[name] ?? null) : null;
  if (existing === null) {
    const { url, tenant } = options;
    if (url === undefined || tenant === undefined)
      throw usage(`there is no context \`${name}\`: give \`--url\` and \`--tenant\` to make it`);
    return { name: verifyContextName(name), url: verifyUrl(url), tenant, existing };
  }
  const { url, credential } = existing;
  if (credential.kind !== 'session')
    throw usage(`the context \`${name}\` has an API key and keeps it: take another name`);
  if (options.url !== undefined && verifyUrl(options.url) !== url)
    throw usage(`the context \`${name}\` keeps its address, ${url}: leave out \`--url\`, or take another name`);
  return { name, url, tenant: options.tenant ?? credential.tenant_id, existing };
}

/** On stderr: standard output has the answer alone. */
async function showCodes(context: Context, codes: Codes, mayOpen: boolean): Promise<void> {
  const page = pageOf(codes);
  context.writeError(
    `Open this page in a browser, and sign in:\n\n    ${visibleLine(page)}\n\nIt must show this code. Approve it only then:\n\n    ${visibleLine(codes.user_code)}\n\n`,
  );
  if (mayOpen && context.terminal !== null) await context.openPage(page);
}

/** The file is read anew: minutes have passed. */
function store(context: Context, { name, url, existing }: Target, credential: StoredContext['credential']): void {
  const file: ContextsFile = readContexts(context.env);
  const stored = { ...(file.contexts[name] ?? existing), url, credential };
  writeContexts(context.env, { ...file, current: name, contexts: { ...file.contexts, [name]: stored } });
}

/** The session before isn't left behind. Where it can't be ended it ends by itself. */
async function endFormer({ url, existing }: Target): Promise<void> {
  if (existing?.credential.kind !== 'session' || existing.credential.secret === null) return;
  await endSession(url, existing.credential.secret).catch(() => undefined);
}
