// The audit log: who did what and when, what it was before, and a file of it.
import { createSignal, For, Show } from 'solid-js';
import { prefix, type Ref, type Schemas } from '../../../kit/api';
import { href } from '../../../kit/route';
import { rowOf } from '../../../kit/store';
import { tell, tellWrong } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import { readStaff, staffChoices } from '../choices';
import { Page } from '../page';
import { say, type SettingsWord } from '../words';
import { en } from '../../../words/programs/en';
import { createPages } from './pages';
import { saveFile } from './save_file';

type Entry = Schemas['audit_entry'] & { id: number };
interface Details { name?: string; changes?: { property: string; from?: unknown; to?: unknown }[]; [more: string]: unknown }
const CSV_PAGE = 1000, CSV_MOST = 100_000;
const ACTS = Object.keys(en).filter((word) => word.startsWith('act_')) as SettingsWord[];
const actionOf = (word: string) => word.slice('act_'.length).toUpperCase();
const actText = (action: string | null | undefined) => { const word = `act_${(action ?? '').toLowerCase()}`; return word in en ? say(word as SettingsWord) : action ?? ''; };
const valueText = (value: unknown) => value === undefined ? say('audit_secret') : value === null || value === '' ? say('empty_value') : typeof value === 'object' ? JSON.stringify(value) : String(value);
const whoText = (entry: Entry) => rowOf('user', entry.actor as Ref | null)?.full_name ?? (entry.actor ? `#${(entry.actor as Ref).id}` : say(entry.actor_kind === 'NOBODY' ? 'audit_nobody' : 'audit_server'));

const Concerned = (props: { entry: Entry; details: Details }) => {
  const object = () => props.entry.object as Ref | null;
  const text = () => [props.details.name, `${object()?.resource_type} ${object()?.id ?? ''}`].filter(Boolean).join(' · ');
  return (
    <Show when={object()}>
      <dt>{say('audit_object')}</dt>
      <dd dir="auto"><Show when={object()!.resource_type === 'user'} fallback={text()}><a href={href(`/people/${object()!.id}`)}>{rowOf('user', object()!.id)?.full_name ?? text()}</a></Show></dd>
    </Show>
  );
};

const Line = (props: { id: number }) => {
  const entry = () => rowOf('audit_entry', props.id) as Entry | undefined;
  return (
    <Show when={entry()}>
      {(one) => {
        const details = () => (one().details ?? {}) as Details;
        const others = () => Object.entries(details()).filter(([name]) => name !== 'changes' && name !== 'name');
        return (
          <li>
            <details>
              <summary>
                <span class="record-text"><span dir="auto"><b>{whoText(one())}</b> {actText(one().action)}</span><Show when={details().name ?? details().changes?.map(({ property }) => property).join(', ')}>{(text) => <span class="soft" dir="auto">{String(text())}</span>}</Show></span>
                <time class="soft" datetime={one().happened_at ?? ''} title={fullTime(one().happened_at ?? '')}>{shortTime(one().happened_at ?? '')}</time>
              </summary>
              <div class="record-more">
                <dl class="facts">
                  <dt>{say('audit_time')}</dt><dd>{fullTime(one().happened_at ?? '')}</dd>
                  <Concerned entry={one()} details={details()} />
                  <Show when={one().cause}>{(cause) => <><dt>{say('audit_cause')}</dt><dd dir="auto">{cause()}</dd></>}</Show>
                  <Show when={one().ip_address}>{(address) => <><dt>{say('audit_address')}</dt><dd dir="ltr">{address()}</dd></>}</Show>
                  <For each={others()}>{([name, value]) => <><dt><code>{name}</code></dt><dd dir="auto">{valueText(value)}</dd></>}</For>
                  <Show when={one().seq}>{(seq) => <><dt>{say('audit_place')}</dt><dd>{seq()} <code class="soft" dir="ltr">{one().chain}</code></dd></>}</Show>
                </dl>
                <Show when={details().changes?.length}>
                  <div class="table-box" tabindex="0" role="group" aria-label={say('audit_property')}><table class="grid-table">
                    <thead><tr><th scope="col">{say('audit_property')}</th><th scope="col">{say('audit_before')}</th><th scope="col">{say('audit_after')}</th></tr></thead>
                    <tbody><For each={details().changes}>{(change) => <tr><th scope="row"><code dir="ltr">{change.property}</code></th><td dir="auto">{valueText(change.from)}</td><td dir="auto">{valueText(change.to)}</td></tr>}</For></tbody>
                  </table></div>
                </Show>
              </div>
            </details>
          </li>
        );
      }}
    </Show>
  );
};

/** A day of the browser's zone as a time: its begin, or its end. */
const timeOf = (day: string, end: boolean) => day ? new Date(`${day}T${end ? '23:59:59.999' : '00:00:00'}`).toISOString() : undefined;

export default () => {
  const [actor, setActor] = createSignal<number>(), [action, setAction] = createSignal(''), [from, setFrom] = createSignal(''), [until, setUntil] = createSignal(''), [saved, setSaved] = createSignal<number>();
  void readStaff();
  const filters = () => ({ actor_id: actor(), action: action() || undefined, since: timeOf(from(), false), until: timeOf(until(), true) });
  const pages = createPages(() => '/audit_log', () => ({ ...filters(), include: 'user,user_minimal' }), 'audit_entry');
  const acts = () => ACTS.map((word) => ({ id: actionOf(word), label: say(word) })).sort((a, b) => a.label.localeCompare(b.label));

  const save = async () => {
    let text = '', last = '', count = 0;
    setSaved(0);
    try {
      for (;;) {
        const query = new URLSearchParams(Object.entries({ ...filters(), format: 'CSV', limit: CSV_PAGE, after_id: last || undefined }).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]]));
        const response = await fetch(`${prefix}/api/v1/audit_log?${query}`, { credentials: 'same-origin', cache: 'no-store', headers: { 'X-Requested-With': 'deskd' } });
        const body = await response.text();
        if (!response.ok) throw new Error(String((JSON.parse(body) as { errors?: { message: string }[] }).errors?.[0]?.message ?? response.status));
        const ids = [...body.matchAll(/^(\d+),"/gm)], begin = text ? body.indexOf('\n') + 1 : 0;
        text += body.slice(begin);
        count += ids.length;
        setSaved(count);
        last = ids.at(-1)?.[1] ?? '';
        if (ids.length < CSV_PAGE || count >= CSV_MOST) break;
      }
      saveFile(new Blob([text], { type: 'text/csv' }), 'audit_log.csv');
      if (count >= CSV_MOST) tell(say('audit_most', { n: count }));
    } catch (error) {
      tellWrong(error instanceof TypeError ? say('no_answer') : (error as Error).message);
    } finally {
      setSaved(undefined);
    }
  };

  return (
    <Page title="audit" why="audit_why">
      <div class="filters">
        <label>{say('audit_who')} <select onChange={(event) => setActor(Number(event.currentTarget.value) || undefined)}><option value="">{say('all')}</option><For each={staffChoices()}>{(one) => <option value={one.id}>{one.label}</option>}</For></select></label>
        <label>{say('audit_what')} <select onChange={(event) => setAction(event.currentTarget.value)}><option value="">{say('all')}</option><For each={acts()}>{(one) => <option value={one.id}>{one.label}</option>}</For></select></label>
        <label>{say('audit_from')} <input type="date" onChange={(event) => setFrom(event.currentTarget.value)} /></label>
        <label>{say('audit_until')} <input type="date" onChange={(event) => setUntil(event.currentTarget.value)} /></label>
        <button type="button" disabled={saved() !== undefined} onClick={() => void save()}>{saved() === undefined ? say('audit_save') : say('audit_saving', { n: saved()! })}</button>
      </div>
      <p class="wrong" role="alert" hidden={!pages.wrong()}>{pages.wrong()} <button type="button" onClick={() => void pages.again()}>{say('try_again')}</button></p>
      <Show when={pages.ids()?.length === 0}><p class="empty">{say('audit_none')}</p></Show>
      <ul class="records"><For each={pages.ids()}>{(id) => <Line id={id} />}</For></ul>
      <Show when={pages.hasMore()}><p><button type="button" onClick={() => void pages.more()}>{say('more')}</button></p></Show>
    </Page>
  );
};
