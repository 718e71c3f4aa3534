import assert from 'node:assert/strict';

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const ATTRIBUTES = '(?:\\s+[a-z][a-z0-9:-]*(?:="[^"]*")?)*';
const TOKEN = new RegExp(`<!doctype html>|<!--[^]*?-->|<(?<end>/?)(?<name>[a-z][a-z0-9]*)(?<attributes>${ATTRIBUTES})\\s*/?>|<`, 'gi');
/** Elements whose contents are text up to their end tag. */
const RAW = /(<(script|style|title|textarea)\b[^>]*>)[^]*?(?=<\/\2>)/gi;

/** A page is well formed: each tag is closed in its order, each id is unique, and each reference to an id has its element. */
export function wellFormed(text, where) {
  const at = (index) => `${where}: ${text.slice(Math.max(0, index - 80), index + 80)}`;
  assert.match(text, /^<!doctype html>/i, where);
  const plain = text.replace(RAW, (whole, tag) => tag + ' '.repeat(whole.length - tag.length));
  const open = [], ids = new Set(), wanted = [];
  for (const { 0: token, index, groups: { end, name, attributes } } of plain.matchAll(TOKEN)) {
    assert.notEqual(token, '<', `a sign that is no tag in ${at(index)}`);
    if (!name) continue;
    if (end) assert.equal(open.pop(), name.toLowerCase(), `an end tag in ${at(index)}`);
    else if (!VOID.has(name.toLowerCase()) && !token.endsWith('/>')) open.push(name.toLowerCase());
    const of = Object.fromEntries([...(attributes ?? '').matchAll(/([a-z][a-z0-9:-]*)(?:="([^"]*)")?/g)].map(([, attribute, value]) => [attribute, value ?? '']));
    if (of.id !== undefined) assert.ok(!ids.has(of.id), `a second id ${of.id} in ${at(index)}`);
    if (of.id !== undefined) ids.add(of.id);
    for (const attribute of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'list']) wanted.push(...(of[attribute]?.split(' ') ?? []));
    if (/^#./.test(of.href ?? '')) wanted.push(of.href.slice(1));
  }
  assert.deepEqual(open.filter((name) => name !== 'html'), [], `open at the end of ${where}`); // HTML lets </html> out
  assert.deepEqual(wanted.filter((id) => !ids.has(id)), [], `references to no element in ${where}`);
}
