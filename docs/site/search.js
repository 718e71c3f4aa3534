// The search field of the pages: reads the list of all pages once, and shows the entries that have every word typed.
'use strict';

const field = document.getElementById('q');
const results = document.getElementById('results');
let entries;

async function load() {
  if (entries) return;
  const reply = await fetch(field.dataset.index);
  entries = (await reply.json()).map((entry) => ({ ...entry, text: `${entry.title} ${entry.kind} ${entry.words}`.toLowerCase() }));
}

/** Words in the title count most, so that an entry about them comes before one that names them. */
function score(entry, words) {
  if (!words.every((word) => entry.text.includes(word))) return 0;
  const title = entry.title.toLowerCase();
  return 1 + words.filter((word) => title.includes(word)).length * 2 + (entry.kind === 'Guide' ? 1 : 0);
}

function link({ title, kind, url }) {
  const item = document.createElement('li');
  const anchor = document.createElement('a');
  const code = document.createElement('code');
  anchor.href = url;
  anchor.textContent = title;
  code.textContent = kind;
  item.append(anchor, ' ', code);
  return item;
}

function show(words) {
  const found = entries.map((entry) => [score(entry, words), entry]).filter(([points]) => points).sort(([a], [b]) => b - a).map(([, entry]) => entry);
  const count = document.createElement('p');
  count.textContent = found.length === 1 ? '1 result' : `${found.length} results${found.length > 30 ? ', the first 30 shown' : ''}`;
  const list = document.createElement('ul');
  list.append(...found.slice(0, 30).map(link));
  results.replaceChildren(count, list);
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.hidden = words.length === 0;
  if (words.length === 0) return;
  await load();
  show(words);
}

if (field && results) {
  field.addEventListener('focus', () => load().catch(() => {}));
  field.addEventListener('input', search);
  field.form.addEventListener('submit', (event) => {
    event.preventDefault();
    results.querySelector('a')?.focus();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    field.value = '';
    search();
  });
  results.addEventListener('click', (event) => {
    if (event.target.closest('a')) results.hidden = true;
  });
  const asked = new URLSearchParams(location.search).get('q');
  if (asked) {
    field.value = asked;
    search();
  }
}
