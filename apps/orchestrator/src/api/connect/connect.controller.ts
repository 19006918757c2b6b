// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { InPage, type PageRequest } from '../../edge/pages/page-request.ts';
import { shown } from '../../edge/pages/shown.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route } from '../../edge/requests/route.ts';
import { ConnectPages } from './connect-pages.ts';
import { CONNECT_PAGES } from './routes.ts';
import { gonePage } from './pages.ts';

/** Pages by which people let MCP servers act under their rights. */
@Controller()
export class ConnectController {
  constructor(private readonly pages: ConnectPages) {}

  @Route(CONNECT_PAGES.open)
  open(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.open(request), gonePage);
  }

  @Route(CONNECT_PAGES.confirm)
  confirm(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.confirm(request), gonePage);
  }

  @Route(CONNECT_PAGES.signOut)
  signOut(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.signOut(request), gonePage);
  }

  @Route(CONNECT_PAGES.signedIn)
  signedIn(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.signedIn(request), gonePage);
  }

  @Route(CONNECT_PAGES.done)
  done(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.done(request), gonePage);
  }

  @Route(CONNECT_PAGES.status)
  status(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.status(request), gonePage);
  }
}
