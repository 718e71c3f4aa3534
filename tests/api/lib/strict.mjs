/** The number of members of all objects in a value. */
function count(value) {
  if (value === null || typeof value !== 'object') return 0;
  let n = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const inner of Object.values(value)) n += count(inner);
  return n;
}

/** Parses JSON. Throws also if an object has a repeated member; JSON.parse silently keeps the last one. */
export function parseStrictly(text) {
  const value = JSON.parse(text);
  // Each written name ends with ": unless spaces follow it. If there are no more of these than members, no member was lost.
  if (!/"\s+:/.test(text) && text.split('":').length - 1 === count(value)) return value;
  const open = []; // the members so far of each object or list around the token
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, -1));
      if (open.at(-1).has(name)) throw new SyntaxError(`the member ${name} is repeated in one object`);
      open.at(-1).add(name);
    }
  }
  return value;
}
