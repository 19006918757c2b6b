// SPDX-License-Identifier: Apache-2.0
import type { Provider, Type } from '@nestjs/common';

/** Provides an object under its own class. */
export const given = <T extends object>(value: T): Provider => ({
  provide: value.constructor as Type<T>,
  useValue: value,
});
