// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { signInsContract } from '../store/sign-ins/sign-ins.contract.ts';
import { FakeApiKeys } from './fake-api-keys.ts';
import { FakeIdentities } from './fake-identities.ts';
import { FakeDeviceAuthorizations, FakeSignIns } from './fake-sign-ins.ts';

describe('the fake store of sign-ins', () =>
  signInsContract(() => {
    const identities = new FakeIdentities(new FakeApiKeys());
    const signIns = new FakeSignIns(identities);
    const devices = new FakeDeviceAuthorizations(signIns);
    return { signIns, devices, identities, credentialOf: async () => newId('apiKey') };
  }));
