/** Repeatable numbers: a linear congruential generator. */
export function dice(seed) {
  let state = seed;
  const below = (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  return { below, one: (list) => list[below(list.length)] };
}
