// SPDX-License-Identifier: Apache-2.0
import type { ZoneDefinition } from '../ics/read-calendar.ts';
import { Unreadable } from '../ics/unreadable.ts';
import { StepBudget } from '../recurrence/step-budget.ts';
import { definedZone } from './defined-zone.ts';
import { ianaZone, type Zone } from './zone.ts';

/** A yearly rule since 1601, as Outlook writes it, takes some 13,000 steps. */
const ZONE_STEPS = 100_000;

/** The time zones that the events of one calendar object name. Each is resolved once. */
export class ZoneTable {
  readonly #definitions: ReadonlyMap<string, ZoneDefinition>;
  readonly #iana: Map<string, Zone | null>;
  readonly #lastLocal: number;
  readonly #budget: StepBudget;
  readonly #known = new Map<string, Zone | null>();

  /** @param iana zones by name that tables share */
  constructor(
    definitions: ReadonlyMap<string, ZoneDefinition>,
    iana: Map<string, Zone | null>,
    lastLocal: number,
    budget: StepBudget,
  ) {
    this.#definitions = definitions;
    this.#iana = iana;
    this.#lastLocal = lastLocal;
    this.#budget = budget;
  }

  /**
   * The zone of a TZID. The runtime's data of IANA goes before a definition of the same name: definitions are often a
   * copy of old rules.
   * @throws Unreadable for a zone that neither IANA nor the calendar knows
   */
  zoneOf(tzid: string): Zone {
    let zone = this.#known.get(tzid);
    if (zone === undefined) {
      zone = this.#resolve(tzid);
      this.#known.set(tzid, zone);
    }
    if (zone === null) throw new Unreadable('a time zone is unknown, or its definition is malformed');
    return zone;
  }

  #resolve(tzid: string): Zone | null {
    const named = this.#named(tzid);
    if (named !== null) return named;
    const definition = this.#definitions.get(tzid);
    if (definition === undefined) return null;
    try {
      return definedZone(definition, this.#lastLocal, new StepBudget(ZONE_STEPS, this.#budget));
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  }

  /** The zone of a name, or of the end of one: `/freeassociation.sourceforge.net/Europe/Berlin`. */
  #named(tzid: string): Zone | null {
    const names = tzid.startsWith('/') ? [tzid.split('/').slice(-2).join('/'), tzid.split('/').at(-1) ?? ''] : [tzid];
    for (const name of names) {
      let zone = this.#iana.get(name);
      if (zone === undefined) {
        zone = ianaZone(name);
        this.#iana.set(name, zone);
      }
      if (zone !== null) return zone;
    }
    return null;
  }
}
