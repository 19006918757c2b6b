// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { InPage, type PageRequest } from '../../edge/pages/page-request.ts';
import { shown } from '../../edge/pages/shown.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route } from '../../edge/requests/route.ts';
import { DevicePages } from './device-pages.ts';
import { KeyPages } from './key-pages.ts';
import { goneHerePage, noKeysPage } from './pages.ts';
import { SIGN_IN_PAGES } from './routes.ts';
import { SignInPages } from './sign-in-pages.ts';

/** Pages on which people sign in, and approve programs. */
@Controller()
export class SignInPagesController {
  constructor(
    private readonly pages: SignInPages,
    private readonly devices: DevicePages,
    private readonly keys: KeyPages,
  ) {}

  @Route(SIGN_IN_PAGES.open)
  open(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.open(request), goneHerePage);
  }

  @Route(SIGN_IN_PAGES.start)
  start(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.start(request), goneHerePage);
  }

  @Route(SIGN_IN_PAGES.done)
  done(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.done(request), goneHerePage);
  }

  @Route(SIGN_IN_PAGES.signOut)
  signOut(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.signOut(request), goneHerePage);
  }

  @Route(SIGN_IN_PAGES.invitation)
  invitation(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.pages.openInvitation(request), goneHerePage);
  }

  @Route(SIGN_IN_PAGES.device)
  device(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.devices.open(request), goneHerePage);
  }

  @Route(SIGN_IN_PAGES.decide)
  decide(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.devices.decide(request), goneHerePage);
  }

  @Route(SIGN_IN_PAGES.key)
  key(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.keys.open(request), noKeysPage);
  }

  @Route(SIGN_IN_PAGES.enterKey)
  enterKey(@InPage() request: PageRequest, @InExchange() exchange: Exchange): Promise<string> {
    return shown(exchange, () => this.keys.enter(request), noKeysPage);
  }
}
