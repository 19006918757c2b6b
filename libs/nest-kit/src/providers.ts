// SPDX-License-Identifier: Apache-2.0
import type { FactoryProvider, ValueProvider } from '@nestjs/common';

/** A class as Nest's injection token; an abstract one is a port. */
type Token<T> = abstract new (...parameters: never) => T;
type Tokens<Values extends readonly unknown[]> = { readonly [Index in keyof Values]: Token<Values[Index]> };

/** Provides the class, constructed with the providers of its constructor's parameters, in their order. */
export const provideClass = <Parameters extends unknown[], T extends object>(
  type: new (...parameters: Parameters) => T,
  ...inject: Tokens<Parameters>
): FactoryProvider<T> => ({
  provide: type,
  useFactory: (...parameters: Parameters) => new type(...parameters),
  inject: [...inject],
});

/** Provides the result of the function, called with other providers. */
export const provideBy = <Parameters extends unknown[], T extends object>(
  token: Token<T>,
  inject: readonly [...Tokens<Parameters>],
  make: (...parameters: Parameters) => T,
): FactoryProvider<T> => ({ provide: token, useFactory: make, inject: [...inject] });

/** Provides the value by its port, or else by its class. */
export const provideValue = <T extends object>(
  value: T,
  token: Token<T> = value.constructor as unknown as Token<T>,
): ValueProvider<T> => ({ provide: token, useValue: value });
