// An area that is a list of rows, and a form for one of them. The area is a declaration; this is its screen.
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, onMount, Show, type Component } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { call, get, type Kind, type Row, type Schemas } from '../../kit/api';
import { useKeys } from '../../kit/keys';
import { go, href, place } from '../../kit/route';
import { keepReply, rowOf } from '../../kit/store';
import { tell, tellWrong } from '../../kit/strip';
import type { Field } from './fields';
import { createForm, remove, type FormState, type Limits } from './form';
import { Form } from './form_view';
import { isKept, type Values } from './kept';
import { Mover } from './mover';
import { operations } from './operations';
import { mayDo, permitted, type Operation } from './rights';
import { say, type SettingsWord } from './words';

type Operations = typeof operations;
type Path = { [O in Operation]: O extends `PUT ${infer P}/{id}` ? P : never }[Operation];
type FieldOf<O extends string> = O extends Operation ? keyof Operations[O]['fields'] : never;
type FieldName<P extends Path> = (FieldOf<`POST ${P}`> | FieldOf<`PUT ${P}/{id}`>) & string;

export interface Rows<P extends Path = Path, T extends Kind = Kind> {
  /** Part of the address. */
  name: string;
  path: P;
  type: T;
  title: SettingsWord;
  /** "New team" */
  new: SettingsWord;
  empty: SettingsWord;
  emptyNext: SettingsWord;
  fields: readonly Field<FieldName<P>>[];
  /** More fields: those that the request has in another member, and whose limits the description of the API does not know. */
  inner?: { member: string; fields: readonly Field[]; limits: Readonly<Record<string, Limits>> };
  label: (row: Schemas[T]) => string;
  /** Rows are sorted by their labels, or by a number: the list of the server has another order, or none. */
  sorted?: true | ((row: Schemas[T]) => number);
  /** A second line of the row. */
  note?: (row: Schemas[T]) => string | undefined;
  /** Arguments of the list, and of one row. */
  query?: Record<string, string | number | boolean>;
  include?: string;
  initial?: () => Values;
  /** Makes a row, if that is not a POST to the path. */
  create?: '/users/invite';
  /** Rows that may not be deleted. */
  fixed?: (row: Schemas[T]) => boolean;
  /** The question before a row is deleted: its consequence. */
  deleteWhy?: SettingsWord | ((row: Schemas[T]) => string);
  /** The list is narrowed by a text: the label of its field, and the argument of the list. */
  find?: { label: SettingsWord; argument: string };
  /** The operation that orders the rows, the member of its body, and the permission that it needs besides that of the rows. */
  order?: { path: string; member: string; permission?: string };
  /** Rows that stand before the others and have no order of their own. */
  first?: (row: Schemas[T]) => boolean;
  /** Called when rows were changed. */
  changed?: () => void;
  /** Called with a new row, before it is shown. */
  made?: (row: Row) => void;
  /** Stands beside the list as long as no row is chosen, on wide screens. */
  overview?: { title: SettingsWord; why: SettingsWord; part: Component };
  /** More between the fields and the buttons. */
  within?: Component<{ form: FormState; row: Schemas[T] | undefined }>;
  /** More below the form. */
  below?: Component<{ form: FormState; row: Schemas[T] | undefined; changed: () => Promise<void> }>;
}

const PAGE = 100, FIND_MS = 150;

export const rows = <P extends Path, T extends Kind>(area: Rows<P, T>): Component => () => <RowsArea area={area as unknown as Rows} />;

const RowsArea = (props: { area: Rows }) => {
  const { area } = props, base = `/settings/${area.name}`, title = createUniqueId();
  const [readIds, setRead] = createSignal<number[]>(), [total, setTotal] = createSignal(0), [failed, setFailed] = createSignal(false);
  const chosen = createMemo(() => { const part = place().parts[1]; return part === 'new' ? 'new' as const : part ? Number(part) : undefined; });
  const labelOf = (id: number) => { const row = rowOf(area.type, id); return row ? area.label(row as never) : ''; };
  const numberOf = (id: number) => { const row = rowOf(area.type, id); return typeof area.sorted === 'function' && row ? area.sorted(row as never) : 0; };
  /** The order that a person has just made: shown until the server has said its order. */
  const [ordered, setOrdered] = createSignal<number[]>();
  const ids = createMemo(() => ordered() ?? (area.sorted && readIds() ? [...readIds()!].sort((a, b) => numberOf(a) - numberOf(b) || labelOf(a).localeCompare(labelOf(b))) : readIds()));
  const sortable = createMemo(() => (ids() ?? []).filter((id) => { const row = rowOf(area.type, id); return !(row && area.first?.(row as never)); }));
  const mayAdd = mayDo(`POST ${area.path}` as Operation), mayOrder = mayAdd && area.order && (!area.order.permission || permitted(area.order.permission));

  let text = '', turn = 0, timer: ReturnType<typeof setTimeout> | undefined;
  const read = async (more = false) => {
    const mine = ++turn;
    try {
      const offset = more ? ids()?.length ?? 0 : 0;
      const reply = await get(area.path, { limit: PAGE, ...(offset ? { offset } : {}), ...area.query, ...(area.find && text ? { [area.find.argument]: text } : {}), ...(area.include ? { include: area.include, _flat: true } : {}) });
      if (mine !== turn) return;
      const found = keepReply(reply);
      setRead(more ? [...readIds() ?? [], ...found] : found);
      setTotal(reply.total_count ?? found.length);
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  const changed = async () => { await read(); area.changed?.(); };
  const typed = (next: string) => { text = next.trim(); clearTimeout(timer); timer = setTimeout(() => void read(), FIND_MS); };
  onCleanup(() => clearTimeout(timer));
  createEffect(on(() => area.name, () => void read()));
  createEffect(() => { const at = chosen(); document.title = `${at === 'new' ? say(area.new) : at ? labelOf(at) || say(area.title) : say(area.title)} · ${say('settings')} · deskd`; });
  useKeys([
    ...(mayAdd ? [{ key: 'n', word: 'key_add' as const, run: () => go(`${base}/new`) }] : []),
    { key: 'Escape', word: 'key_list', run: () => go(chosen() ? base : '/settings') },
  ]);

  let moves = Promise.resolve(), last = 0;
  const move = (id: number, to: number) => {
    const { order } = area, mine = ++last;
    if (!order) return;
    const all = ids() ?? [], others = sortable().filter((one) => one !== id), next = [...others.slice(0, to), id, ...others.slice(to)];
    setOrdered([...all.filter((one) => !next.includes(one)), ...next]);
    const put = async () => {
      try { await call('PUT', order.path, { body: { [order.member]: next } }); } catch (error) { tellWrong((error as Error).message); }
      if (mine === last) await changed();
      if (mine === last) setOrdered(undefined); // the person has moved no other row meanwhile
    };
    moves = moves.then(put);
  };

  return (
    <>
      <section class="settings-list region" aria-labelledby={title} tabindex="-1" data-region>
        <header class="settings-head">
          <a class="button narrow" href={href('/settings')}>{say('to_settings')}</a>
          <Show when={chosen()} fallback={<h1 id={title}>{say(area.title)}</h1>}><p id={title} class="settings-title">{say(area.title)}</p></Show><span class="grow" />
          <Show when={mayAdd}><a class="button" href={href(`${base}/new`)}>{say('add')} <kbd>n</kbd></a></Show>
        </header>
        <Show when={failed()}><p class="wrong pad" role="alert">{say('rows_failed')} <button type="button" onClick={() => void read()}>{say('try_again')}</button></p></Show>
        <Show when={area.find}>{(find) => <p class="pad"><input type="search" class="settings-find" dir="auto" aria-label={say(find().label)} placeholder={say(find().label)} onInput={(event) => typed(event.currentTarget.value)} /></p>}</Show>
        <div role={area.find ? 'status' : undefined}><Show when={ids()?.length === 0}><div class="empty"><Show when={!text} fallback={<p>{say('find_none')}</p>}><p>{say(area.empty)}</p><p>{say(area.emptyNext)}</p></Show></div></Show></div>
        <ul class="settings-rows" data-sort>
          <For each={ids()}>
            {(id) => (
              <li classList={{ 'is-chosen': chosen() === id }}>
                <a href={href(`${base}/${id}`)} aria-current={chosen() === id ? 'page' : undefined}>
                  <span dir="auto">{labelOf(id)}</span>
                  <Show when={area.note?.(rowOf(area.type, id) as never)}>{(text) => <span class="soft" dir="auto">{text()}</span>}</Show>
                  <Show when={isKept(`${area.name}/${id}`)}><span class="warning">{say('unsaved')}</span></Show>
                </a>
                <Show when={mayOrder && sortable().includes(id)}><Mover name={labelOf(id)} at={sortable().indexOf(id)} of={sortable().length} move={(to) => move(id, to)} /></Show>
              </li>
            )}
          </For>
        </ul>
        <Show when={(ids()?.length ?? 0) < total()}><button type="button" onClick={() => void read(true)}>{say('more')}</button></Show>
      </section>
      <Show when={!chosen() && area.overview}>{(overview) => <section class="settings-overview region" aria-labelledby={`${title}-overview`} tabindex="-1" data-region><h2 id={`${title}-overview`}>{say(overview().title)}</h2><p class="soft">{say(overview().why)}</p><Dynamic component={overview().part} /></section>}</Show>
      <Show when={chosen()} keyed>{(id) => <RowForm area={area} id={id} changed={changed} />}</Show>
    </>
  );
};

const RowForm = (props: { area: Rows; id: number | 'new'; changed: () => Promise<void> }) => {
  const { area, id } = props, base = `/settings/${area.name}`, isNew = id === 'new', path = isNew ? area.create ?? area.path : `${area.path}/${id}`, title = createUniqueId();
  let heading!: HTMLHeadingElement, question!: HTMLDialogElement, region!: HTMLElement;
  const operation = (isNew ? `POST ${path}` : `PUT ${area.path}/{id}`) as Operation;
  const [refused, setRefused] = createSignal('');
  const ask = () => { setRefused(''); question.showModal(); };
  const removeRow = async () => {
    const wrong = await remove(path);
    if (wrong) return setRefused(wrong);
    question.close();
    form.discard();
    go(base);
    await props.changed();
  };
  const inner = (values: Values): Values => {
    const { member, limits } = area.inner!, own = Object.entries(values).filter(([name]) => name in limits);
    return { ...Object.fromEntries(Object.entries(values).filter(([name]) => !(name in limits))), ...(own.length ? { [member]: Object.fromEntries(own) } : {}) };
  };
  const form = createForm({
    key: `${area.name}/${id}`, operation, path, fields: [...area.fields.filter(({ name: field }) => field in operations[operation].fields), ...area.inner?.fields ?? []],
    ...(area.inner ? { limits: area.inner.limits, wrap: inner } : {}),
    ...(isNew ? { initial: area.initial?.() ?? {} } : { read: () => get(path, area.include ? { include: area.include, _flat: true } : {}) }),
    saved: (row, reply) => {
      const said = (reply as { notifications?: { message: string }[] }).notifications?.[0]?.message;
      if (said) tell(said); 
      void props.changed();
      if (isNew) area.made?.(row);
      if (isNew) go(`${base}/${row.id}`, { replace: true });
    },
  });
  const row = () => isNew ? undefined : rowOf(area.type, id) as Row | undefined;
  const name = () => isNew ? say(area.new) : row() ? area.label(row() as never) : '';
  onMount(() => (isNew && region.querySelector<HTMLElement>('form input, form select, form textarea') || heading).focus());
  const mayDelete = () => !isNew && mayDo(`DELETE ${area.path}/{id}` as Operation) && row() && !area.fixed?.(row() as never);

  return (
    <section ref={region} class="settings-one region" aria-labelledby={title} tabindex="-1" data-region>
      <a class="button narrow" href={href(base)}>{say('back')}</a>
      <h1 ref={heading} id={title} tabindex="-1" dir="auto">{name()}</h1>
      <Form form={form} actions={<Show when={mayDelete()}><button type="button" class="danger" onClick={ask}>{say('delete')}</button></Show>}>{area.within?.({ form, row: row() as never })}</Form>
      {area.below?.({ form, row: row() as never, changed: props.changed })}
      <dialog ref={question} class="card" aria-labelledby={`${title}-question`}>
        <h2 id={`${title}-question`} dir="auto">{say('delete_title', { name: name() })}</h2>
        <Show when={area.deleteWhy && row()}><p dir="auto">{typeof area.deleteWhy === 'function' ? area.deleteWhy(row() as never) : say(area.deleteWhy!)}</p></Show>
        <p>{say('delete_final')}</p>
        <p class="wrong" role="alert" dir="auto">{refused()}</p>
        <form method="dialog" class="settings-foot">
          <button type="submit">{say('cancel')}</button>
          <button type="button" class="danger" onClick={() => void removeRow()}>{say('delete')}</button>
        </form>
      </dialog>
    </section>
  );
};
