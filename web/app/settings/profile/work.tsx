// How the console looks and behaves in this browser. Each choice takes effect at once.
import { For } from 'solid-js';
import { keysOn, setKeysOn } from '../../../kit/keys';
import { afterClose, compact, setAfterClose, setCompact, setTheme, theme, type AfterClose, type Theme } from '../../frame/look';
import { Page } from '../page';
import { say, type SettingsWord } from '../words';

const Options = <T extends string>(props: { legend: SettingsWord; help?: SettingsWord; name: string; value: T; options: Record<T, SettingsWord>; choose: (value: T) => void }) => (
  <fieldset class="options" aria-describedby={props.help && `${props.name}-help`}>
    <legend>{say(props.legend)}</legend>
    <For each={Object.entries(props.options) as [T, SettingsWord][]}>
      {([value, word]) => <label class="yes"><input type="radio" name={props.name} checked={props.value === value} onChange={() => props.choose(value)} /><span>{say(word)}</span></label>}
    </For>
    {props.help && <p id={`${props.name}-help`} class="soft">{say(props.help)}</p>}
  </fieldset>
);

const Work = () => (
  <Page title="work" why="work_why">
    <div class="settings-form">
      <Options<Theme> legend="look_theme" name="theme" value={theme()} choose={setTheme} options={{ system: 'look_system', light: 'look_light', dark: 'look_dark' }} />
      <Options legend="look_density" name="density" value={compact() ? 'compact' : 'normal'} choose={(value) => setCompact(value === 'compact')} options={{ normal: 'look_normal', compact: 'look_compact' }} />
      <Options<AfterClose> legend="after_close" help="after_close_help" name="after" value={afterClose()} choose={setAfterClose} options={{ next: 'after_next', list: 'after_list', stay: 'after_stay' }} />
      <Options legend="look_keys" help="look_keys_help" name="keys" value={keysOn() ? 'on' : 'off'} choose={(value) => setKeysOn(value === 'on')} options={{ on: 'keys_on', off: 'keys_off' }} />
    </div>
  </Page>
);
export default Work;
