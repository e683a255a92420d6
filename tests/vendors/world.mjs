// Chance that comes from a seed, and the people of a small world.

/** A source of chance that gives the same for the same seed. */
export class Chance {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** A number from 0 up to 1. */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count) {
    return Math.floor(this.next() * count);
  }

  one(items) {
    return items[this.below(items.length)];
  }

  some(items, most) {
    const count = 1 + this.below(most);
    return [...items].sort(() => this.next() - 0.5).slice(0, count);
  }

  often(share) {
    return this.next() < share;
  }
}

export const fields = {
  country: { kind: 'text', values: ['CH', 'DE', 'FR', 'US'] },
  email: { kind: 'text', values: ['ada@example.com', 'bob@example.org', 'eve@test.dev', 'zoë@example.com'] },
  age: { kind: 'number', values: [0, 5, 17, 18, 40] },
  version: { kind: 'version', values: ['0.9.0', '1.2.0', '1.10.3', '2.0.0-beta', '2.0.0', '3.1.4'] },
  staff: { kind: 'truth', values: [true, false] },
};

export const users = ['ada', 'bob', 'eve', 'zoë', 'u5', 'u6'];

/** People with any of the fields; what they lack is absent. */
export function people(chance, count) {
  return Array.from({ length: count }, () => {
    const person = { user: chance.one(users), fields: {} };
    for (const [name, { values }] of Object.entries(fields)) {
      if (chance.often(0.8)) person.fields[name] = chance.one(values);
    }
    return person;
  });
}

/** Many different users of one kind, to count shares. */
export function crowd(count) {
  return Array.from({ length: count }, (_, number) => ({
    user: `user-${number}`,
    fields: { country: 'CH', email: 'ada@example.com', age: 40, version: '2.0.0', staff: true },
  }));
}
