// SPDX-License-Identifier: Apache-2.0
import { apiKeysContract } from '../store/keys/api-keys.contract.ts';
import { FakeApiKeys } from './fake-api-keys.ts';

const keys = new FakeApiKeys();
apiKeysContract('memory', () => keys);
