import assert from 'node:assert/strict';

// Repeats `probe` until it returns a true value. The only way to wait in these tests: there is no sleep.
// `within` only ends a test that hangs: on a machine with eight times the load, the longest wait takes two minutes.
export async function until(what, probe, { within = 300_000 } = {}) {
  for (const end = performance.now() + within; ; ) {
    const answer = await probe();
    if (answer) return answer;
    if (performance.now() > end) assert.fail(`${what}: not within ${within} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
