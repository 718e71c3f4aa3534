// Closes what a test opened, last opened first, also if the test fails.
const stacks = new WeakMap();

export function defer(t, close) {
  let stack = stacks.get(t);
  if (!stack) {
    stacks.set(t, (stack = []));
    t.after(async () => {
      const failures = [];
      while (stack.length) await Promise.resolve().then(stack.pop()).catch((e) => failures.push(e));
      if (failures.length) throw failures[0];
    });
  }
  stack.push(close);
}
