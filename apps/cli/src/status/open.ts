// SPDX-License-Identifier: Apache-2.0
import { Argument, Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';

/** Pages that every server has, by what a person calls them. None of them is given a key. */
const PAGES = {
  docs: '/docs/',
  api: '/docs/api',
  openapi: '/openapi.json',
  keys: '/.well-known/writ-keys.json',
} as const;
type Page = keyof typeof PAGES;

/** `writ open`. */
export function openCommand(context: Context): Command {
  const command = new Command('open')
    .description(
      'opens a page of the server: the documentation, the API with its routes, its document, the public keys',
    )
    .addArgument(new Argument('[page]').choices(Object.keys(PAGES)).default('docs'))
    .option('--print', 'print the address, and open nothing');
  return command.action(async (page: Page) => {
    const { print, ...options } = command.optsWithGlobals<CommonOptions & { print?: true }>();
    const url = `${connect(context, options, 'operator').client.url}${PAGES[page]}`;
    const opened = print === true ? false : await context.openPage(url);
    show(context, options, { page, url, opened }, () => url);
    if (!opened && print !== true) context.writeError('note: no browser was found: open the address yourself\n');
  });
}
