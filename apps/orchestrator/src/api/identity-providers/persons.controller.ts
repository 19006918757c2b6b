// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { PersonLinks, type PersonSource } from '../../edge/access/oauth/person-links.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { Identities } from '../../store/identities/identities.ts';
import { ChangeProviders } from './change-providers.ts';
import { PERSONS } from './routes.ts';
import type { PersonForgotten, PersonView } from './views.ts';

@Controller()
export class PersonsController {
  constructor(
    private readonly identities: Identities,
    private readonly links: PersonLinks,
    private readonly change: ChangeProviders,
  ) {}

  @Route(PERSONS.find)
  async find(@RequestInput() { caller, query }: RequestInputOf<typeof PERSONS.find>): Promise<PersonView> {
    const link = this.links.linkOf(caller.tenant_id, sourceOf(query));
    const person = await this.identities.findPerson(caller.tenant_id, link);
    if (person === null) throw new Fault('not_found');
    return person as PersonView;
  }

  @Route(PERSONS.forget)
  forget(
    @RequestInput() { caller, params: { person_id } }: RequestInputOf<typeof PERSONS.forget>,
  ): Promise<PersonForgotten> {
    return this.change.forget(caller, person_id);
  }
}

function sourceOf({ principal, issuer, subject }: RequestInputOf<typeof PERSONS.find>['query']): PersonSource {
  if (principal !== undefined && issuer === undefined && subject === undefined) return { principal };
  if (principal === undefined && issuer !== undefined && subject !== undefined) return { issuer, subject };
  throw new Fault('request.malformed', 'name either `principal`, or `issuer` and `subject`');
}
