// SPDX-License-Identifier: Apache-2.0
export { expectCleanLog, expectWhole, Observer } from '@writ/stack';
