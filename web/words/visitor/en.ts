// How the desk knows the visitor who opened a conversation.
export const en = {
  visitor_signed: 'Named by the site’s server',
  visitor_anonymous: 'Visitor without a login: nobody has proved name and address',
};
