// Suggests articles while the subject of a message is typed. The form works without them.
'use strict';
(() => {
  const subject = document.getElementById('f-subject'), box = document.getElementById('suggestions');
  if (!subject || !box) return;
  const list = box.querySelector('ul');
  let timer, shown = '', asked = 0;
  const local = (address) => new URL(address).pathname;
  const item = ({ title, link }) => {
    const li = document.createElement('li'), a = document.createElement('a');
    a.href = local(link);
    a.target = '_blank';
    a.rel = 'noopener';
    a.textContent = `${title} (${box.dataset.newTab})`;
    li.append(a);
    return li;
  };
  const suggest = async () => {
    const text = subject.value.trim();
    if (text === shown) return;
    shown = text;
    const mine = ++asked;
    let found = [];
    if (text.length > 2) {
      const reply = await fetch(`${box.dataset.address}&query=${encodeURIComponent(text)}`, { headers: { Accept: 'application/json' } });
      if (reply.ok) found = (await reply.json()).data;
    }
    if (mine !== asked) return;
    list.replaceChildren(...found.slice(0, 5).map(item));
    box.hidden = found.length === 0;
  };
  subject.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => suggest().catch(() => { box.hidden = true; }), 250);
  });
})();
