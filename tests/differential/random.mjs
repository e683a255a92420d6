/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `count`. */
  below(count) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  /** Whether something happens that happens `percent` times in a hundred. */
  chance(percent) {
    return this.below(100) < percent;
  }

  pick(values) {
    return values[this.below(values.length)];
  }

  /** From `least` to `most` values, made one by one. */
  list(least, most, make) {
    return Array.from({ length: least + this.below(most - least + 1) }, () => make(this));
  }
}
