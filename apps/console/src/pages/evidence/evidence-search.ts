// SPDX-License-Identifier: Apache-2.0
import type { RecordSearch } from '../../data/records.ts';
import { textsOf, type AddressMembers } from '../../parts/address.ts';
import { evidence } from '../../words/evidence.ts';

const keysOf = <K extends string>(words: Readonly<Record<K, string>>): readonly K[] => Object.keys(words) as K[];
const TYPES = keysOf(evidence.types);
const VERDICTS = keysOf(evidence.verdicts);
const OUTCOMES = keysOf(evidence.outcomes);
const ORDERS = keysOf(evidence.orders);

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;
const TEXTS = ['agent', 'tool', 'session', 'operation', 'resource', 'text'] as const;

/** The members of an address that the search for records knows; others, and wrong values, are left out. */
export function readEvidenceSearch(given: AddressMembers): RecordSearch {
  const one = <T extends string>(name: string, among: readonly T[]): Record<string, T> => {
    const found = among.find((value) => value === given[name]);
    return found === undefined ? {} : { [name]: found };
  };
  const scores = (['risk_min', 'risk_max'] as const).flatMap((name) => {
    const value = given[name];
    return typeof value === 'number' && value >= 0 && value <= 1 ? [[name, value]] : [];
  });
  const moments = (['since', 'until'] as const).flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && MOMENT.test(value) ? [[name, value]] : [];
  });
  return {
    ...textsOf(given, ...TEXTS),
    ...(Object.fromEntries([...scores, ...moments]) as RecordSearch),
    ...one('type', TYPES),
    ...one('verdict', VERDICTS),
    ...one('outcome', OUTCOMES),
    ...one('order', ORDERS),
  };
}

/** A moment of the address as a field of the reader's time zone has it; empty for none. */
export function localOf(moment: string | undefined): string {
  const at = moment === undefined ? NaN : Date.parse(moment);
  if (Number.isNaN(at)) return '';
  const minutes = new Date(at).getTimezoneOffset();
  return new Date(at - minutes * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/** The other way round; undefined for a field that has no moment. */
export function momentOf(local: string): string | undefined {
  const at = local === '' ? NaN : Date.parse(local);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
