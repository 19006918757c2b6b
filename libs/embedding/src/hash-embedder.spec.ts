// SPDX-License-Identifier: Apache-2.0
import { embedderContract } from './embedder.contract.ts';
import { HashEmbedder } from './hash-embedder.ts';

embedderContract('the fake', async () => ({ embedder: new HashEmbedder(), close: async () => undefined }));
