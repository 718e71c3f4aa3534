import { views } from '../views/views';

/** The channel of all conversations that the person sees. It has the installation in its name, as the channels of views do. */
export const inboxChannel = () => {
  const one = views()[0]?.realtime_channel;
  return one ? `${one.slice(0, one.indexOf('@'))}@v1_inbox` : undefined;
};
