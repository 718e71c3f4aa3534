// Shows the times of the page in the zone and the language of the visitor. Without it, they are in the zone of the desk.
'use strict';
(() => {
  const plain = { calendar: 'gregory', numberingSystem: 'latn', dateStyle: 'long' };
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const clock = 'clock' in time.dataset;
    time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { ...plain, ...(clock && { timeStyle: 'short' }) }).format(at);
  }
})();
