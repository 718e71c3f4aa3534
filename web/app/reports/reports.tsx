// The reports of the desk on one page. The address has the period, the comparison and the conditions, so that a link shows the same.
import { createEffect, createMemo, createSignal, For, on, onMount, Show, Suspense } from 'solid-js';
import { Combobox } from '../../kit/combobox';
import { get, rowsOf } from '../../kit/api';
import { lazy } from '../../kit/lazy';
import { address, href, place } from '../../kit/route';
import { styled } from '../../kit/style';
import { priorities, readStaff, teams } from '../frame/catalog';
import { Articles } from './articles';
import { askNow, CONDITIONS, param, period, PERIODS, problem, setParams } from './ask';
import { channelText, CHANNELS } from './forms';
import { Load } from './load';
import { OrganizationChoice } from './organization';
import { ORGANIZATIONS, Ranks, TAGS } from './ranks';
import { Report } from './report';
import style from './reports.css';
import { specs } from './specs';
import { Week } from './week';
import { say } from './words';

await styled(style);
const BehindScreen = lazy(async () => ({ default: (await import('./behind')).BehindScreen }));

/** The tag whose name the address has: its id, null if there is none. */
const findTag = async (name: string) => rowsOf(await get('/autocomplete/tags', { name, limit: 20 })).find((row) => row['name'] === name)?.id ?? null;

const Choice = (props: { label: string; name: string; options: { value: string; label: string }[]; first?: string }) => (
  <label class="choice"><span>{props.label}</span>
    <select onChange={(event) => setParams({ [props.name]: event.currentTarget.value || null })}>
      <For each={[...(props.first ? [{ value: '', label: props.first }] : []), ...props.options]}>{({ value, label }) => <option value={value} selected={(param(props.name) ?? '') === value}>{label}</option>}</For>
    </select>
  </label>
);

const Choices = () => {
  const [staff, setStaff] = createSignal<{ id: number; full_name: string }[]>([]);
  void readStaff().then(setStaff, () => undefined);
  const own = () => period().days === 0;
  const conditions = () => [...CONDITIONS, 'tag'].some((name) => param(name) !== null);
  return (
    <form class="report-choices" aria-label={say('choices')} onSubmit={(event) => event.preventDefault()}>
      <label class="choice"><span>{say('period')}</span>
        <select onChange={(event) => { const days = event.currentTarget.value, { from, to } = period(); setParams(days === 'own' ? { days: null, from, to } : { days: days === '30' ? null : days, from: null, to: null }); }}>
          <For each={PERIODS}>{(n) => <option value={n} selected={period().days === n}>{say('period_days', { n })}</option>}</For>
          <option value="own" selected={own()}>{say('period_own')}</option>
        </select>
      </label>
      <Show when={own()}>
        <label class="choice"><span>{say('from')}</span><input type="date" value={period().from} onChange={(event) => { if (event.currentTarget.value) setParams({ from: event.currentTarget.value }); }} /></label>
        <label class="choice"><span>{say('to')}</span><input type="date" value={period().to} onChange={(event) => { if (event.currentTarget.value) setParams({ to: event.currentTarget.value }); }} /></label>
      </Show>
      <Choice label={say('compare')} name="compare" first={say('compare_previous')} options={[{ value: 'year', label: say('compare_year') }, { value: 'none', label: say('compare_none') }]} />
      <Choice label={say('hours')} name="hours" first={say('hours_calendar')} options={[{ value: 'business', label: say('hours_business') }]} />
      <Choice label={say('scale')} name="scale" first={say('scale_even')} options={[{ value: 'log', label: say('scale_log') }]} />
      <Choice label={say('channel')} name="channel" first={say('all')} options={CHANNELS.map((value) => ({ value, label: channelText(value) }))} />
      <Choice label={say('team')} name="team_id" first={say('all')} options={[...teams().map(({ id, title }) => ({ value: String(id), label: title ?? '' })), { value: '0', label: say('none_team') }]} />
      <Choice label={say('agent')} name="agent_id" first={say('all')} options={[...staff().map(({ id, full_name }) => ({ value: String(id), label: full_name })), { value: '0', label: say('none_agent') }]} />
      <Choice label={say('priority')} name="priority_id" first={say('all')} options={[...priorities().map(({ id, label }) => ({ value: String(id), label: label ?? '' })), { value: '0', label: say('none_priority') }]} />
      <div class="choice"><span aria-hidden="true">{say('tag')}</span>
        <Combobox label={say('tag')} value={param('tag') ?? ''} placeholder={say('all')} find={async (name) => rowsOf(await get('/autocomplete/tags', { name, limit: 10 })).map((row) => ({ id: row.id, label: String(row['name']) }))} onChoose={({ label }) => setParams({ tag: label })} /></div>
      <OrganizationChoice />
      <div class="report-buttons">
        <Show when={conditions()}><button type="button" onClick={() => setParams(Object.fromEntries([...CONDITIONS, 'tag'].map((name) => [name, null])))}>{say('reset')}</button></Show>
        <a class="button" href={href('/wall')}>{say('wall')}</a>
        <button type="button" onClick={() => print()}>{say('print')}</button>
      </div>
    </form>
  );
};

const Page = () => {
  let heading!: HTMLHeadingElement;
  const [tag, setTag] = createSignal<{ name: string; id: number | null }>(), [denied, setDenied] = createSignal(false), [late, setLate] = createSignal(false);
  onMount(() => { document.title = `${say('reports')} · deskd`; heading.focus(); });
  createEffect(on(() => param('tag'), (name) => { if (name) void findTag(name).then((id) => { if (param('tag') === name) setTag({ name, id }); }, () => setTag({ name, id: null })); }));
  const unknown = () => { const name = param('tag'); return name && tag()?.name === name && tag()!.id === null ? name : undefined; };
  // Nothing is asked for before the tag is known.
  const ask = createMemo(() => {
    const name = param('tag');
    address();
    if (problem() || (name && (tag()?.name !== name || tag()!.id === null))) return undefined;
    return askNow(name ? tag()!.id! : undefined);
  });
  const back = () => place().query.toString();
  const wrong = () => problem() ? say(problem()!) : unknown() ? say('tag_unknown', { name: unknown()! }) : '';
  return (
    <main class="screen region reports" aria-labelledby="reports-title" tabindex="-1" data-region>
      <h1 ref={heading} id="reports-title" tabindex="-1">{say('reports')}</h1>
      <Show when={!denied()} fallback={<p>{say('report_denied')}</p>}>
        <Choices />
        <p class="wrong" role="alert" hidden={!wrong()}>{wrong()}</p>
        <p class="notice warning" role="status" hidden={!late()}>{say('incomplete')}</p>
        <Show when={ask()}>
          {(a) => (
            <div class="report-grid">
              <For each={specs}>{(spec) => <Report spec={spec} ask={a()} back={back()} told={({ denied: no, complete }) => { if (no) setDenied(true); if (complete !== undefined) setLate(!complete); }} />}</For>
              <Load ask={a()} back={back()} />
              <Ranks of={TAGS} ask={a()} back={back()} />
              <Ranks of={ORGANIZATIONS} ask={a()} back={back()} />
              <Articles ask={a()} />
              <Week ask={a()} back={back()} />
            </div>
          )}
        </Show>
      </Show>
    </main>
  );
};

export const Reports = () => <Show when={place().parts[0] === 'conversations'} fallback={<Page />}><Suspense><BehindScreen /></Suspense></Show>;
