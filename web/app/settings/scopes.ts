// What a program may do for a person, in words.
import { say, type SettingsWord } from './words';

const SCOPES: Record<string, SettingsWord> = { conversations: 'scope_conversations', users: 'scope_users', search: 'scope_search', insights: 'scope_insights', configuration: 'scope_configuration' };
export const scopeChoices = () => Object.entries(SCOPES).flatMap(([name, word]) => (name === 'search' ? ['read'] : ['read', 'write']).map((level) => ({ id: `${name}:${level}`, label: say(level === 'read' ? 'scope_read' : 'scope_write', { what: say(word) }) })));
export const scopeText = (scope: string) => scopeChoices().find(({ id }) => id === scope)?.label ?? scope;
