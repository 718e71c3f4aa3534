// Jobs: work that continues after its request, how far it is, and what it refused.
import { createSignal, For, Show } from 'solid-js';
import type { Ref, Schemas } from '../../../kit/api';
import { rowOf } from '../../../kit/store';
import { fullTime, shortTime } from '../../../kit/words';
import { en } from '../../../words/programs/en';
import { Page } from '../page';
import { say, type SettingsWord } from '../words';
import { createPages } from './pages';

type Job = Schemas['bulk_job'] & { id: number };
interface Wrong { code?: string; pointer?: string; message?: string }
const STATES: Record<string, SettingsWord> = { PENDING: 'job_pending', RUNNING: 'job_running', COMPLETED: 'job_completed', FAILED: 'job_failed' };
const MARKS: Record<string, string> = { PENDING: '○', RUNNING: '◐', COMPLETED: '✓', FAILED: '✗' };
const RESULTS: Record<string, string> = { COMPLETED: 'OK', FAILED: 'FAILED' };
const KINDS = ['import', 'empty_trash', 'cascade', 'mail', 'mail_release', 'password_reset', 'mailbox_test', 'index_search', 'index_names', 'clocks', 'breach', 'notifications'];
const kindText = (kind: string) => { const word = `job_${kind}`; return word in en ? say(word as SettingsWord) : kind; };

const Line = (props: { id: number }) => {
  const row = () => rowOf('bulk_job', props.id) as Job | undefined;
  const facts = (job: Job) => [say(STATES[job.status ?? ''] ?? 'job_pending'), job.total ? say('job_progress', { done: (job.inserted ?? 0) + (job.rejected ?? 0), total: job.total }) : '', job.rejected ? say('job_rejected', { n: job.rejected }) : ''].filter(Boolean).join(' · ');
  return (
    <Show when={row()}>
      {(job) => {
        const errors = () => (job().errors ?? []) as Wrong[], creator = () => rowOf('user', job().creator as Ref | null)?.full_name;
        return (
          <li data-result={RESULTS[job().status ?? '']}>
            <details>
              <summary>
                <span class="trial-mark" aria-hidden="true">{MARKS[job().status ?? '']}</span>
                <span class="record-text"><b>{kindText(String(job().kind))}</b><span class="soft" dir="auto">{[facts(job()), creator() ?? (job().creator ? '' : say('audit_server'))].filter(Boolean).join(' · ')}</span></span>
                <time class="soft" datetime={job().created_at ?? ''} title={fullTime(job().created_at ?? '')}>{shortTime(job().created_at ?? '')}</time>
              </summary>
              <div class="record-more">
                <dl class="facts"><dt>{say('job_begun')}</dt><dd>{fullTime(job().created_at ?? '')}</dd><dt>{say('job_changed')}</dt><dd>{fullTime(job().updated_at ?? '')}</dd></dl>
                <Show when={errors().length} fallback={<p class="soft">{say('job_no_errors')}</p>}>
                  <h3>{say('job_errors')}</h3>
                  <ul class="trial-steps"><For each={errors()}>{(one) => <li><code dir="ltr">{one.pointer ?? one.code}</code> <span lang="en" dir="auto">{one.message ?? ''}</span></li>}</For></ul>
                </Show>
              </div>
            </details>
          </li>
        );
      }}
    </Show>
  );
};

export default () => {
  const [status, setStatus] = createSignal(''), [kind, setKind] = createSignal('');
  const pages = createPages(() => '/jobs', () => ({ status: status() || undefined, kind: kind() || undefined, fields: '+kind,+creator', include: 'user_minimal' }));
  pages.follow((id) => { const job = rowOf('bulk_job', id) as Job | undefined; return job?.status === 'RUNNING' || (job?.status === 'PENDING' && !!job.creator); });
  return (
    <Page title="jobs" why="jobs_why">
      <div class="filters">
        <label>{say('job_state')} <select onChange={(event) => setStatus(event.currentTarget.value)}><option value="">{say('all')}</option><For each={Object.entries(STATES)}>{([id, word]) => <option value={id}>{say(word)}</option>}</For></select></label>
        <label>{say('job_kind')} <select onChange={(event) => setKind(event.currentTarget.value)}><option value="">{say('all')}</option><For each={KINDS}>{(one) => <option value={one}>{kindText(one)}</option>}</For></select></label>
        <button type="button" onClick={() => void pages.again()}>{say('read_again')}</button>
      </div>
      <p class="wrong" role="alert" hidden={!pages.wrong()}>{pages.wrong()}</p>
      <Show when={pages.ids()?.length === 0}><p class="empty">{say('jobs_none')}</p></Show>
      <ul class="records"><For each={pages.ids()}>{(id) => <Line id={id} />}</For></ul>
      <Show when={pages.hasMore()}><p><button type="button" onClick={() => void pages.more()}>{say('more')}</button></p></Show>
    </Page>
  );
};
