// SPDX-License-Identifier: Apache-2.0
import { platform as node } from './node.ts';
import { platform as portable } from './portable.ts';
import { sha256Contract } from './sha256.contract.ts';

sha256Contract('by OpenSSL', node);
sha256Contract('in JavaScript alone', portable);
