// English words of the widget of a brand. See ../en.ts.
const words = {
  widget: 'Widget',
  widget_why: 'A part of this help desk in pages of your site: visitors search articles, write to you and read your replies there.',
  widget_origins: 'Origins of your site',
  widget_origins_why: 'Pages of these origins may show the widget. Each script of such a page can read what the visitor sees in the widget, so list only sites that you trust.',
  widget_origins_none: 'No origin. The widget is shown nowhere.',
  widget_origin: 'Another origin',
  widget_origin_help: 'Scheme and host, without a path: https://shop.example',
  widget_origin_add: 'Add the origin',
  widget_origin_remove: 'Remove {origin}',
  widget_greeting: 'First words',
  widget_greeting_help: 'Empty: the widget has words of its own, in the language of the visitor.',
  widget_anonymous: 'Every visitor may write',
  widget_anonymous_help: 'Off: only visitors whom your site signs in.',
  widget_snippet: 'Line for your pages',
  widget_secret: 'Signed visitors',
  widget_secret_why: 'With this secret, the server of your site tells the widget who a visitor is. Who has it can read the conversations of signed visitors: keep it on the server.',
  widget_secret_none: 'There is no secret. All visitors are anonymous.',
  widget_secret_since: 'There is a secret, made {time}.',
  widget_secret_text: 'Secret of the widget',
  widget_secret_new: 'Make a secret',
  widget_secret_question: 'Make a new secret?',
  widget_secret_question_why: 'A former secret ends at once, and visitors who were signed in by it are anonymous again.',
  widget_secret_drop: 'Delete the secret',
  widget_secret_drop_question: 'Delete the secret of the widget?',
};
export const en: Record<keyof typeof words, string> = words;
export type WidgetWord = keyof typeof words;
