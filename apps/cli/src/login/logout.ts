// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { contextNamed, LOCAL, readContexts } from '../contexts/contexts-file.ts';
import { Client } from '../http/client.ts';
import { storeSession } from './session-key.ts';

/** `writ logout`. */
export function logoutCommand(context: Context): Command {
  const command = new Command('logout')
    .description('end your session at the server, and forget it; the context stays, for the next `writ login`')
    .argument('[context]', 'the current one');
  return command.action(async (given?: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const file = readContexts(context.env);
    const name = given ?? options.context ?? context.env.context ?? file.current ?? LOCAL;
    if (name === LOCAL) throw usage('nobody is signed in here: name a context of `writ login`');
    const { url, credential } = contextNamed(file, name);
    if (credential.kind !== 'session')
      throw usage(`the context \`${name}\` has an API key: \`writ context delete ${name}\` forgets it`);
    const { secret } = credential;
    if (secret !== null) {
      // It is forgotten only once it has ended: who isn't sure can repeat this.
      await endSession(url, secret);
      storeSession(context.env, name, { ...credential, secret: null });
    }
    show(context, options, { name, signed_out: true }, () => `signed out of ${name}`);
  });
}

/** Ends a session, also one that has ended already. @throws CliError where that isn't certain */
export async function endSession(url: string, secret: string): Promise<void> {
  try {
    await new Client(url, secret).request('/v1/sign-out', { method: 'POST', body: {} });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'auth.invalid') throw error;
  }
}
