// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { answer, type Page, type Redirection } from '../../edge/pages/page.ts';
import { InPage, type PageRequest } from '../../edge/pages/page-request.ts';
import { RetryAfterFault, shownMessage } from '../../edge/problems/problem.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route } from '../../edge/requests/route.ts';
import { ConnectPages } from './connect-pages.ts';
import { CONNECT_PAGES } from './routes.ts';
import { faultPage, gonePage } from './pages.ts';

/** Pages by which people let MCP servers act under their rights. */
@Controller()
export class ConnectController {
  constructor(private readonly pages: ConnectPages) {}

  @Route(CONNECT_PAGES.open)
  open(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.open(request));
  }

  @Route(CONNECT_PAGES.confirm)
  confirm(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.confirm(request));
  }

  @Route(CONNECT_PAGES.signOut)
  signOut(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.signOut(request));
  }

  @Route(CONNECT_PAGES.signedIn)
  signedIn(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.signedIn(request));
  }

  @Route(CONNECT_PAGES.done)
  done(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.done(request));
  }

  @Route(CONNECT_PAGES.status)
  status(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.status(request));
  }
}

/** A person gets a page, whatever happens. A bug is logged, as for every route. */
async function shown(exchange: Exchange, run: () => Promise<Page | Redirection>): Promise<string> {
  try {
    return answer(exchange, await run());
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'internal') throw error;
    if (error instanceof RetryAfterFault) exchange.setHeader('retry-after', String(error.afterS));
    return answer(
      exchange,
      error.code === 'not_found' ? gonePage() : faultPage(error.status, `${sentenceOf(shownMessage(error))}.`),
    );
  }
}

const sentenceOf = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1).replaceAll('`', '')}`;
