// Former texts of a template: when and by whom they were written, compared with the text in the editor, and restored.
import { createSignal, For, Show } from 'solid-js';
import { get, rowsOf, type Ref, type Row } from '../../../kit/api';
import { keepReply, rowOf } from '../../../kit/store';
import { tellWrong } from '../../../kit/strip';
import { fullTime, shortTime } from '../../../kit/words';
import { Part } from '../page';
import { say } from '../words';
import { Difference } from './difference';

type Version = Row & { creator: Ref | null; created_at: string | null };
const MOST = 1000, PAGE = 10;

export const createVersions = (path: string) => {
  const [list, setList] = createSignal<Version[]>();
  const read = async () => {
    try {
      const reply = await get(`${path}/versions`, { limit: MOST, fields: 'creator,created_at', include: 'user', _flat: true });
      keepReply(reply);
      setList((rowsOf(reply) as Version[]).reverse());
    } catch (error) { tellWrong((error as Error).message); }
  };
  void read();
  return { list, read };
};

const One = (props: { path: string; version: Version; text: string; mayRestore: boolean; restore: (id: number) => void }) => {
  const [former, setFormer] = createSignal<string>(), { id, creator, created_at: time } = props.version;
  const author = () => rowOf('user', creator)?.full_name ?? say('version_gone_author'), name = () => time ? `${fullTime(time)}, ${author()}` : say('version_original');
  const turn = async () => {
    if (former() !== undefined) { setFormer(undefined); return; }
    try { setFormer(String(rowsOf(await get(`${props.path}/versions`, { ids: id, fields: 'contents' }))[0]?.['contents'] ?? '')); } catch (error) { tellWrong((error as Error).message); }
  };
  return (
    <li>
      <span class="plain-text"><Show when={time} fallback={<span>{say('version_original')}</span>}>{(at) => <><time datetime={at()} title={fullTime(at())}>{shortTime(at())}</time><span class="soft" dir="auto">{author()}</span></>}</Show></span>
      <button type="button" aria-expanded={former() !== undefined} aria-label={`${say(former() === undefined ? 'version_compare' : 'version_hide')}: ${name()}`} onClick={() => void turn()}>{say(former() === undefined ? 'version_compare' : 'version_hide')}</button>
      <button type="button" aria-label={`${say('version_restore')}: ${name()}`} disabled={!props.mayRestore} onClick={() => props.restore(id)}>{say('version_restore')}</button>
      <Show when={former() !== undefined}><Difference from={former()!} to={props.text} /></Show>
    </li>
  );
};

export const Versions = (props: { path: string; of: ReturnType<typeof createVersions>; text: string; mayRestore: boolean; restore: (id: number) => void }) => {
  const [most, setMost] = createSignal(PAGE), list = () => props.of.list();
  return (
    <Part title="versions" why="versions_why">
      <Show when={list()?.length === 0}><p class="soft">{say('versions_none')}</p></Show>
      <Show when={!props.mayRestore}><p class="soft">{say('template_unsaved')}</p></Show>
      <ol class="plain-rows"><For each={list()?.slice(0, most())}>{(version) => <One path={props.path} version={version} text={props.text} mayRestore={props.mayRestore} restore={props.restore} />}</For></ol>
      <Show when={(list()?.length ?? 0) > most()}><button type="button" onClick={() => setMost(most() + PAGE)}>{say('versions_more')}</button></Show>
    </Part>
  );
};
