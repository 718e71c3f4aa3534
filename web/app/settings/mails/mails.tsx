// Mails that the desk has suspended: why, and what they say. Selected ones are released or deleted together.
import { createSignal, For, Show } from 'solid-js';
import { call, type Schemas } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { tell } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import { en, type MailWord } from '../../../words/mails/en';
import { Page } from '../page';
import { createPages } from '../programs/pages';
import { Question } from '../programs/question';
import { say } from '../words';

type Mail = Schemas['mail'] & { id: number };
const FIELDS = 'from,to,subject,text,suspension_code,reason,created_at';
const REQUEST_MOST = 100;
const mailOf = (id: number) => rowOf('mail', id) as Mail | undefined;
const subjectOf = (mail: Mail) => mail.subject || say('mail_no_subject');
const why = (mail: Mail) => { const word = `mail_${mail.suspension_code}`; return word in en ? say(word as MailWord) : mail.suspension_code ?? ''; };

const Line = (props: { id: number; selected: boolean; onSelect: (to: boolean) => void }) => (
  <Show when={mailOf(props.id)}>
    {(mail) => (
      <li class="mail">
        <label class="mail-select"><input type="checkbox" aria-label={say('mail_select', { subject: subjectOf(mail()), from: mail().from ?? '' })} checked={props.selected} onChange={(event) => props.onSelect(event.currentTarget.checked)} /></label>
        <details>
          <summary>
            <span class="record-text"><b dir="auto">{subjectOf(mail())}</b><span class="soft" dir="auto"><bdi>{mail().from}</bdi> · {why(mail())}</span></span>
            <time class="soft" datetime={mail().created_at ?? ''} title={fullTime(mail().created_at ?? '')}>{shortTime(mail().created_at ?? '')}</time>
          </summary>
          <div class="record-more">
            <dl class="facts">
              <dt>{say('mail_to')}</dt><dd dir="auto">{mail().to}</dd>
              <dt>{say('mail_reason')}</dt><dd>{why(mail())}<Show when={mail().reason}> <span class="soft" lang="en" dir="auto">{mail().reason}</span></Show></dd>
            </dl>
            <Show when={mail().text?.trim()} fallback={<p class="soft">{say('mail_no_text')}</p>}>{(text) => <p class="mail-text" dir="auto">{text()}</p>}</Show>
          </div>
        </details>
      </li>
    )}
  </Show>
);

export default () => {
  const pages = createPages(() => '/mails', () => ({ is_suspended: true, fields: FIELDS }));
  const [chosen, setChosen] = createSignal<ReadonlySet<number>>(new Set()), [wrong, setWrong] = createSignal(''), [busy, setBusy] = createSignal(false);
  const shown = () => pages.ids() ?? [], selected = () => shown().filter((id) => chosen().has(id));
  const select = (ids: number[], to: boolean) => setChosen((former) => new Set([...former].filter((id) => to || !ids.includes(id)).concat(to ? ids : [])));
  let list!: HTMLDivElement;

  /** All of a request or none. What the server has done is no longer in the list, also if a later part was refused. */
  const change = async (method: 'PUT' | 'DELETE', done: 'mails_released' | 'mails_deleted') => {
    const ids = selected();
    setBusy(true);
    setWrong('');
    try {
      for (let i = 0; i < ids.length; i += REQUEST_MOST)
        await call(method, '/mails', { query: { ids: ids.slice(i, i + REQUEST_MOST).join(',') }, ...(method === 'PUT' ? { body: { is_suspended: false } } : {}) });
      setChosen(new Set<number>());
      tell(say(done, { n: ids.length }));
    } finally {
      setBusy(false);
      await pages.again();
      list.focus();
    }
  };
  const release = () => void change('PUT', 'mails_released').catch((error: Error) => setWrong(error.message));

  return (
    <Page title="suspended_mails" why="mails_why">
      <p class="wrong" role="alert" hidden={!(wrong() || pages.wrong())}>{wrong() || pages.wrong()}</p>
      <Show when={pages.ids()?.length === 0}><p class="empty">{say('mails_none')}</p></Show>
      <Show when={shown().length}>
        <div class="filters mails-do">
          <label class="yes"><input type="checkbox" checked={selected().length === shown().length} onChange={(event) => select(shown(), event.currentTarget.checked)} /><span>{say('mails_all')}</span></label>
          <span class="soft" role="status">{selected().length ? say('mails_selected', { n: selected().length }) : ''}</span>
          <button type="button" disabled={busy() || !selected().length} onClick={release}>{say('mails_release')}</button>
          <Question button="mails_delete" name={String(selected().length)} title="mails_question" why="mails_question_why" danger disabled={busy() || !selected().length} act={() => change('DELETE', 'mails_deleted')} />
        </div>
      </Show>
      <div ref={list} tabindex="-1" role="group" aria-label={say('suspended_mails')}>
        <ul class="records"><For each={shown()}>{(id) => <Line id={id} selected={chosen().has(id)} onSelect={(to) => select([id], to)} />}</For></ul>
        <Show when={pages.hasMore()}><p><button type="button" onClick={() => void pages.more()}>{say('more')}</button></p></Show>
      </div>
    </Page>
  );
};
