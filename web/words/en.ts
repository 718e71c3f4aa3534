// English. {name} is a value; [n: one ...|other ...] is the form for the number n.
const words = {
  // login
  login: 'Log in', login_again: 'Log in again', login_again_why: 'Your session has ended. What you wrote is still here.',
  email: 'E-mail address', password: 'Password', code: 'Code of your authenticator', log_out: 'Log out',
  password_expired: 'Your password has expired.', password_set: 'Set a new one',
  unreachable: 'The server does not answer. Check your connection and try again.',
  staff_only: 'The console is for staff.', to_help_center: 'Go to the help center',
  // frame
  console: 'Console', views: 'Views', conversations: 'Conversations', conversation: 'Conversation', details: 'Details',
  offline: 'No connection. You can go on reading; changes wait.', new_version: 'A new version is here.', reload: 'Reload',
  keys: 'Keys', keys_title: 'Keys', close: 'Close', undo: 'Undo', undone: 'Undone', retry: 'Try again', me: 'You',
  theme: 'Theme', theme_system: 'As the system', theme_light: 'Light', theme_dark: 'Dark', density: 'Density', density_normal: 'Normal', density_compact: 'Compact',
  // list
  empty_view: 'No conversation is in this view.', empty_view_next: 'New ones appear here by themselves.',
  list_count: '[n: one {n} conversation|other {n} conversations]', new_rows: '[n: one {n} new, show it|other {n} new, show them]',
  unread: 'unread', nobody: 'Nobody', select: 'Select', selected: '[n: one {n} selected|other {n} selected]', clear_selection: 'Select none',
  list_failed: 'The list could not be read.', due: 'due {time}', overdue: 'overdue since {time}',
  choose: 'Choose a conversation', choose_keys: 'Press j and k to move, Enter to open.',
  // conversation
  gone: 'This conversation does not exist, or you may not see it.', back: 'Back to the list', older: 'Show earlier posts', no_subject: '(no subject)',
  note: 'Note', is_looking: '{names} [n: one is|other are] looking', is_writing: '{names} [n: one is|other are] writing', server: 'Server',
  posts: 'Posts', files: 'Files', delivery_failed: 'Not delivered: {reason}',
  reply: 'Reply', reply_to: 'Reply to {name}', add_note: 'Add note', send_reply: 'Send reply to {name}', sending: 'Sending …', text: 'Text',
  sent: 'Sent', note_added: 'Note added',
  overtaken: '[n: one There is a new post that you have not seen.|other There are {n} new posts that you have not seen.]', send_anyway: 'Send anyway', keep_writing: 'Keep writing',
  not_sent: 'Not sent: {reason}', closed: 'The conversation is closed. A reply is not possible.', note_hint: 'Only staff see notes.',
  // properties
  properties: 'Properties', status: 'Status', priority: 'Priority', type: 'Type', team: 'Team', agent: 'Agent', tags: 'Tags', none: 'None', add_tag: 'Add a tag', remove_tag: 'Remove {tag}',
  requester: 'Requester', organization: 'Organization', other_conversations: 'Other conversations', assign_me: 'Assign to me', changed: '{what} changed', not_changed: 'Not changed: {reason}',
  trashed: 'Moved to trash',
  clock_first: 'First reply', clock_next: 'Next reply', clock_resolution: 'Resolution', clock_paused: 'paused', clock_kept: 'kept', clock_broken: 'broken', service: 'Service level',
  // keys
  key_next: 'Next conversation', key_former: 'Former conversation', key_list: 'Back to the list', key_reply: 'Write a reply', key_note: 'Write a note', key_send: 'Send',
  key_mine: 'Assign to me', key_complete: 'Completed, then the next one', key_status: 'Status', key_priority: 'Priority', key_assign: 'Assign', key_tags: 'Tags', key_undo: 'Undo', key_new_rows: 'Show new rows',
  key_help: 'List of keys', key_search: 'Search', key_select: 'Select', key_trash: 'Move to trash', key_regions: 'Next region',
  // search
  key_details: 'Properties', then: 'then', as_it_is: 'leave the status', key_send_complete: 'Send, then Completed',
  draft_elsewhere: 'You have written another text in another place:', draft_take: 'Take that text', draft_keep: 'Keep this text',
  key_all: 'Select all that are shown', bulk_changed: '[n: one {n} changed|other {n} changed]',
  new: 'New', new_case: 'New conversation', key_new: 'New conversation', subject: 'Subject', open_case: 'Open the conversation', cancel: 'Cancel', new_person: 'a new person', new_person_made: '{address} becomes a new person.', choose_person: 'Choose a person from the list.',
  macro: 'Macro', key_macro: 'Macros', macro_chosen: 'The properties of the macro “{title}” are set when you send.', macro_without: 'Without them', attach: 'Attach', uploading: 'is uploaded', remove_file: 'Remove {name}', picture: 'picture',
  person_gone: 'This person does not exist, or you may not see it.', designation: 'Position', phone: 'Phone', role: 'Role', last_seen: 'Last seen', known_since: 'Known since',
  notifications: 'Notifications', key_notifications: 'Notifications', read_all: 'Mark all as read', no_notifications: 'You have no notifications.', no_notifications_next: 'You are told here when a conversation becomes yours, a customer answers, or a colleague mentions you.', told_agent: '{name} assigned a conversation to you', told_team: '{name} assigned a conversation to your team', told_reply: '{name} replied', told_mention: '{name} mentioned you', told_breach: 'A service target was missed', told_warning: 'A service target is about to be missed', told_others: 'and {n} more', show_more: 'Show more',
  search: 'Search', search_hint: 'Search conversations',
};
export const en: Record<keyof typeof words, string> = words;
