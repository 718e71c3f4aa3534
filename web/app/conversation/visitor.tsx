// Says how the desk knows the visitor who opened a conversation without a login.
import { ready, say } from './visitor_words';

const Visitor = (props: { kind: string }) => <p class="soft">{say(props.kind === 'SIGNED' ? 'visitor_signed' : 'visitor_anonymous')}</p>;
export const loadVisitor = async () => { await ready(); return { default: Visitor }; };
