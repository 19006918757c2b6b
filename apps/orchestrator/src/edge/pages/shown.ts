// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { RetryAfterFault, shownMessage } from '../problems/problem.ts';
import type { Exchange } from '../requests/exchange.ts';
import { html } from './html.ts';
import { answer, type Page, type Redirection } from './page.ts';

/** A person gets a page, whatever happens. A bug is logged, as for every route. @param gone for what isn't there */
export async function shown(
  exchange: Exchange,
  run: () => Promise<Page | Redirection>,
  gone: () => Page,
): Promise<string> {
  try {
    return answer(exchange, await run());
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'internal') throw error;
    if (error instanceof RetryAfterFault) exchange.setHeader('retry-after', String(error.afterS));
    return answer(
      exchange,
      error.code === 'not_found' ? gone() : faultPage(error.status, `${sentenceOf(shownMessage(error))}.`),
    );
  }
}

/** @param detail what failed, in words of this program */
const faultPage = (status: number, detail: string): Page => ({
  status,
  title: status === 429 ? 'Too many requests' : 'This does not work now',
  main: html`<p>${detail}</p>
    <p>Try again in a moment.</p>`,
});

const sentenceOf = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1).replaceAll('`', '')}`;
