/* The original templates. */
#include "core/text/template.h"

#define BLOCK(name, text) "{% block " name " %}" text "{% endblock %}\n"

/* Values of mails: name of the desk, name of the reader (empty if the address is not verified), address of
 * the reader, URL of the desk. Mails with a link have the link and its lifetime. Notices have the changed
 * address. Replies have the subject of the conversation, the name of the author, the contents, and the
 * names and addresses of the files that are not attached. Mails to endpoints have the subject of the
 * endpoint and the contents of the delivery. */
#define OF_MAILS "desk name address url"
#define OF_LINKS OF_MAILS " link life"
#define OF_CHANGES OF_MAILS " changed"
#define OF_NOTIFICATIONS "desk url address subject contents"
/* Mails of forwards have the messages that are forwarded. */
#define OF_FORWARDS "desk url address subject author contents quoted"
#define OF_REPLIES "desk url address subject author contents files"
/* Mails to staff have the number and the subject of the conversation, the person who caused the change,
 * the message or note, and a sentence about other conversations that the same change concerned. */
#define OF_STAFF OF_MAILS " case subject author contents others"
#define OF_SURVEYS OF_LINKS " subject"
#define OF_PAGES "desk url"
#define OF_FORMS OF_PAGES " form"
/* Pages of the help center have the name of the brand, the address of its first page, the title of the
 * page, its contents and its forms. The frame around them has header, contents and footer. */
#define OF_SITE "brand url title contents"
#define SHOWING_PAGE(name)                                                    \
    {                                                                         \
        name, TEMPLATE_SITE, TEMPLATE_HELP_CENTER, NULL, OF_SITE, "contents", \
            BLOCK("title", "{{title}}") BLOCK("body", "\n{{contents}}\n")     \
    }
#define ACTING_PAGE(name)                                                                  \
    {                                                                                      \
        name, TEMPLATE_SITE, TEMPLATE_HELP_CENTER, NULL, OF_SITE " form", "contents form", \
            BLOCK("title", "{{title}}") BLOCK("body", "\n{{contents}}\n{{form}}\n")        \
    }

#define STAFF_MAIL(name, title, sentence)                                                    \
    {                                                                                        \
        name, TEMPLATE_MAIL, TEMPLATE_CASE, NULL, OF_STAFF, NULL,                            \
            BLOCK("subject", title ": {{subject}}")                                          \
                BLOCK("text", "\n"                                                           \
                              "Hello {{name}},\n\n" sentence                                 \
                              "\n\n{{subject}}\n\n{{contents}}\n\n{{others}}\n\n{{desk}}\n") \
                    BLOCK("html", "\n"                                                       \
                                  "<p>Hello {{name}},</p>\n"                                 \
                                  "<p>" sentence "</p>\n"                                    \
                                  "<p>{{subject}}</p>\n"                                     \
                                  "<div>{{contents}}</div>\n"                                \
                                  "<p>{{others}}</p>\n"                                      \
                                  "<p>{{desk}}</p>\n")                                       \
    }

#define PASSKEY_MAIL(name, done, advice)                                                       \
    {                                                                                          \
        name, TEMPLATE_MAIL, TEMPLATE_ACCOUNT, NULL, OF_CHANGES, NULL,                         \
            BLOCK("subject", "A passkey was " done " your account at {{desk}}")                \
                BLOCK("text", "\n"                                                             \
                              "Hello {{name}},\n\n"                                            \
                              "the passkey {{changed}} was " done                              \
                              " your account at {{desk}} ({{url}}) just now.\n\n" advice "\n") \
                    BLOCK("html", "\n"                                                         \
                                  "<p>Hello {{name}},</p>\n"                                   \
                                  "<p>the passkey {{changed}} was " done                       \
                                  " your account at <a href=\"{{url}}\">{{desk}}</a> just "    \
                                  "now.</p>\n"                                                 \
                                  "<p>" advice "</p>\n")                                       \
    }

const struct template templates[] = {
    {"verification", TEMPLATE_MAIL, TEMPLATE_IDENTITY, "/verify", OF_LINKS, "link",
     BLOCK("subject", "Confirm your e-mail address at {{desk}}") BLOCK(
         "text",
         "\n"
         "Hello {{name}},\n\n"
         "please confirm that {{address}} is your address:\n\n"
         "{{link}}\n\n"
         "The link works once, for {{life}}. If you did not ask for it, do nothing: without it nothing changes.\n")
         BLOCK(
             "html",
             "\n"
             "<p>Hello {{name}},</p>\n"
             "<p>please confirm that {{address}} is your address:</p>\n"
             "<p><a href=\"{{link}}\">Confirm my address</a></p>\n"
             "<p>The link works once, for {{life}}. If you did not ask for it, do nothing: without it nothing changes.</p>\n")},
    {"password_reset", TEMPLATE_MAIL, TEMPLATE_ACCOUNT, "/password", OF_LINKS, "link",
     BLOCK("subject", "Reset your password at {{desk}}") BLOCK(
         "text",
         "\n"
         "Hello {{name}},\n\n"
         "somebody, hopefully you, asked to reset the password of {{address}}. Choose a new one here:\n\n"
         "{{link}}\n\n"
         "The link works once, for {{life}}. If it was not you, do nothing: your password stays as it is.\n")
         BLOCK(
             "html",
             "\n"
             "<p>Hello {{name}},</p>\n"
             "<p>somebody, hopefully you, asked to reset the password of {{address}}.</p>\n"
             "<p><a href=\"{{link}}\">Choose a new password</a></p>\n"
             "<p>The link works once, for {{life}}. If it was not you, do nothing: your password stays as it is.</p>\n")},
    {"invitation", TEMPLATE_MAIL, TEMPLATE_ACCOUNT, "/password", OF_LINKS, "link",
     BLOCK("subject", "You are invited to {{desk}}")
         BLOCK("text", "\n"
                       "Hello {{name}},\n\n"
                       "you are invited to {{desk}}. Choose a password, then log in with {{address}}:\n\n"
                       "{{link}}\n\n"
                       "The link works once, for {{life}}.\n")
             BLOCK("html",
                   "\n"
                   "<p>Hello {{name}},</p>\n"
                   "<p>you are invited to {{desk}}. Choose a password, then log in with {{address}}:</p>\n"
                   "<p><a href=\"{{link}}\">Accept the invitation</a></p>\n"
                   "<p>The link works once, for {{life}}.</p>\n")},
    {"password_changed", TEMPLATE_MAIL, TEMPLATE_ACCOUNT, NULL, OF_MAILS, NULL,
     BLOCK("subject", "Your password at {{desk}} was changed") BLOCK(
         "text", "\n"
                 "Hello {{name}},\n\n"
                 "the password of {{address}} at {{desk}} ({{url}}) was changed just now.\n\n"
                 "If it was not you, reset it at once and tell us.\n")
         BLOCK(
             "html",
             "\n"
             "<p>Hello {{name}},</p>\n"
             "<p>the password of {{address}} at <a href=\"{{url}}\">{{desk}}</a> was changed just now.</p>\n"
             "<p>If it was not you, reset it at once and tell us.</p>\n")},
    {"address_added", TEMPLATE_MAIL, TEMPLATE_IDENTITY, NULL, OF_CHANGES, NULL,
     BLOCK("subject", "An e-mail address was added to your account at {{desk}}") BLOCK(
         "text",
         "\n"
         "Hello {{name}},\n\n"
         "the e-mail address {{changed}} was added to your account at {{desk}} ({{url}}) just now.\n\n"
         "If you do not know this address, change your password at once and tell us.\n")
         BLOCK(
             "html",
             "\n"
             "<p>Hello {{name}},</p>\n"
             "<p>the e-mail address {{changed}} was added to your account at <a href=\"{{url}}\">{{desk}}</a> just now.</p>\n"
             "<p>If you do not know this address, change your password at once and tell us.</p>\n")},
    {"address_removed", TEMPLATE_MAIL, TEMPLATE_IDENTITY, NULL, OF_CHANGES, NULL,
     BLOCK("subject", "An e-mail address was removed from your account at {{desk}}") BLOCK(
         "text",
         "\n"
         "Hello {{name}},\n\n"
         "the e-mail address {{changed}} was removed from your account at {{desk}} ({{url}}) just now.\n\n"
         "If it was not you, change your password at once and tell us.\n")
         BLOCK(
             "html",
             "\n"
             "<p>Hello {{name}},</p>\n"
             "<p>the e-mail address {{changed}} was removed from your account at <a href=\"{{url}}\">{{desk}}</a> just now.</p>\n"
             "<p>If it was not you, change your password at once and tell us.</p>\n")},
    PASSKEY_MAIL("passkey_added", "added to",
                 "If it was not you, remove it, change your password at once and tell us."),
    PASSKEY_MAIL("passkey_removed", "removed from",
                 "If it was not you, change your password at once and tell us."),
    {"case_reply", TEMPLATE_MAIL, TEMPLATE_CASE, NULL, OF_REPLIES, "contents",
     BLOCK("subject", "Re: {{subject}}") BLOCK("text", "\n{{contents}}\n{{files}}\n\n{{author}}\n{{desk}}\n")
         BLOCK("html", "\n"
                       "<div>{{contents}}</div>\n"
                       "<div>{{files}}</div>\n"
                       "<p>{{author}}<br>{{desk}}</p>\n")},
    {"forward", TEMPLATE_MAIL, TEMPLATE_CASE, NULL, OF_FORWARDS, "contents quoted",
     BLOCK("subject", "{{subject}}") BLOCK("text", "\n{{contents}}\n\n{{author}}\n{{desk}}\n\n{{quoted}}\n")
         BLOCK("html", "\n"
                       "<div>{{contents}}</div>\n"
                       "<p>{{author}}<br>{{desk}}</p>\n"
                       "<div>{{quoted}}</div>\n")},
    {"rule_notification", TEMPLATE_MAIL, TEMPLATE_CASE, NULL, OF_NOTIFICATIONS, "contents",
     BLOCK("subject", "{{subject}}") BLOCK("text", "\n{{contents}}\n\n{{desk}}\n")
         BLOCK("html", "\n"
                       "<div>{{contents}}</div>\n"
                       "<p>{{desk}}</p>\n")},
    {"endpoint", TEMPLATE_MAIL, TEMPLATE_CASE, NULL, OF_NOTIFICATIONS, "contents",
     BLOCK("subject", "{{subject}}") BLOCK("text", "\n{{contents}}\n")
         BLOCK("html", "\n<div>{{contents}}</div>\n")},
    STAFF_MAIL("case_created", "New conversation {{case}}", "there is a new conversation, {{case}}:"),
    STAFF_MAIL("reply_on_case", "Reply in conversation {{case}}",
               "{{author}} replied in conversation {{case}}:"),
    STAFF_MAIL("case_assigned_to_agent", "Conversation {{case}} is yours",
               "conversation {{case}} was assigned to you:"),
    STAFF_MAIL("case_assigned_to_team", "Conversation {{case}} is your team's",
               "conversation {{case}} was assigned to your team:"),
    STAFF_MAIL("sla_breached", "Conversation {{case}} missed its target",
               "conversation {{case}} missed a target of its SLA:"),
    STAFF_MAIL("mentioned_in_conversation", "You are mentioned in conversation {{case}}",
               "{{author}} mentioned you in a note of conversation {{case}}:"),
    {"survey", TEMPLATE_MAIL, TEMPLATE_CASE, "/survey", OF_SURVEYS, "link",
     BLOCK("subject", "How did we do? {{subject}}") BLOCK(
         "text",
         "\n"
         "Hello {{name}},\n\n"
         "you asked us about \"{{subject}}\". Were you content with our help? Please tell us with one click:\n\n"
         "{{link}}\n\n"
         "The link works for {{life}}.\n\n"
         "{{desk}}\n")
         BLOCK("html", "\n"
                       "<p>Hello {{name}},</p>\n"
                       "<p>you asked us about \"{{subject}}\". Were you content with our help?</p>\n"
                       "<p><a href=\"{{link}}\">Rate our help</a></p>\n"
                       "<p>The link works for {{life}}.</p>\n"
                       "<p>{{desk}}</p>\n")},
    {"mailbox_verification", TEMPLATE_MAIL, TEMPLATE_IDENTITY, "/mailbox", OF_LINKS, "link",
     BLOCK("subject", "Confirm the mailbox {{address}} at {{desk}}") BLOCK(
         "text",
         "\n"
         "{{desk}} has a new mailbox with the address {{address}}. Mails that it sends get this address when you confirm it:\n\n"
         "{{link}}\n\n"
         "The link works once, for {{life}}. If nobody of you added the mailbox, do nothing.\n")
         BLOCK("html", "\n<p>{{desk}} has a new mailbox with the address {{address}}. Mails that it sends "
                       "get this address when you confirm it:</p>\n<p><a href=\"{{link}}\">Confirm this "
                       "mailbox</a></p>\n<p>The link works once, for {{life}}. If nobody of you added the "
                       "mailbox, do nothing.</p>\n")},
    {"page_verify", TEMPLATE_PAGE, TEMPLATE_IDENTITY, NULL, OF_FORMS, "form",
     BLOCK("title", "Confirm your e-mail address") BLOCK("body", "\n{{form}}\n")},
    {"page_verified", TEMPLATE_PAGE, TEMPLATE_IDENTITY, NULL, OF_PAGES, NULL,
     BLOCK("title", "Your address is confirmed")
         BLOCK("body", "\n<p>Thank you. You may close this page.</p>\n")},
    {"page_verify_login", TEMPLATE_PAGE, TEMPLATE_IDENTITY, NULL, OF_PAGES, NULL,
     BLOCK("title", "Please log in first") BLOCK(
         "body",
         "\n<p>Somebody else added this address to an account. Log in to that account in this browser, then open the link again.</p>\n")},
    {"page_password", TEMPLATE_PAGE, TEMPLATE_ACCOUNT, NULL, OF_FORMS, "form",
     BLOCK("title", "Choose a password") BLOCK("body", "\n{{form}}\n")},
    {"page_password_set", TEMPLATE_PAGE, TEMPLATE_ACCOUNT, NULL, OF_PAGES, NULL,
     BLOCK("title", "Your password is set")
         BLOCK("body", "\n<p>You can log in with it now. You may close this page.</p>\n")},
    {"page_survey", TEMPLATE_PAGE, TEMPLATE_CASE, NULL, OF_FORMS, "form",
     BLOCK("title", "How did we do?") BLOCK("body", "\n{{form}}\n")},
    {"page_survey_done", TEMPLATE_PAGE, TEMPLATE_CASE, NULL, OF_PAGES, NULL,
     BLOCK("title", "Thank you")
         BLOCK("body", "\n<p>We have received your rating. You may close this page.</p>\n")},
    {"page_unsubscribe", TEMPLATE_PAGE, TEMPLATE_ACCOUNT, NULL, OF_FORMS, "form",
     BLOCK("title", "Stop these e-mails?") BLOCK("body", "\n{{form}}\n")},
    {"page_unsubscribed", TEMPLATE_PAGE, TEMPLATE_ACCOUNT, NULL, OF_PAGES, NULL,
     BLOCK("title", "You get no more of these e-mails") BLOCK("body", "\n<p>You may close this page.</p>\n")},
    {"page_authorize_login", TEMPLATE_PAGE, TEMPLATE_ACCOUNT, NULL, OF_FORMS, "form",
     BLOCK("title", "Log in") BLOCK("body", "\n{{form}}\n")},
    {"page_authorize", TEMPLATE_PAGE, TEMPLATE_ACCOUNT, NULL, OF_FORMS, "form",
     BLOCK("title", "Allow access?") BLOCK("body", "\n{{form}}\n")},
    {"page_link_dead", TEMPLATE_PAGE, TEMPLATE_ACCOUNT, NULL, OF_PAGES, NULL,
     BLOCK("title", "This link does not work") BLOCK(
         "body",
         "\n<p>It was used already, a newer one was sent, or it has expired. Please ask for a new one.</p>\n")},
    {"helpcenter_layout", TEMPLATE_SITE, TEMPLATE_HELP_CENTER, NULL, OF_SITE " header footer", "contents",
     BLOCK("title", "{{title}} - {{brand}}") BLOCK("body", "\n{{header}}\n{{contents}}\n{{footer}}\n")},
    SHOWING_PAGE("helpcenter_home"),
    SHOWING_PAGE("helpcenter_category"),
    SHOWING_PAGE("helpcenter_section"),
    SHOWING_PAGE("helpcenter_search"),
    ACTING_PAGE("helpcenter_article"),
    ACTING_PAGE("helpcenter_contact"),
    {0}};
