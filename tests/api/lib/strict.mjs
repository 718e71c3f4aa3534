/** Parses JSON. Throws also if an object has a repeated member; JSON.parse silently keeps the last one. */
export function parseStrictly(text) {
  const value = JSON.parse(text);
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
