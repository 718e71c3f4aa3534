#include "mail/lmtp_session.h"

#include "base/limits.h"
#include "base/log.h"
#include "mail/inbox.h"
#include "mail/lmtp_read.h"
#include "mail/recipients.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define TOO_LARGE (-1) /* beside errno */
#define TOO_MANY (-2)
#define LMTP_SIZE "52428800"
_Static_assert(LIMIT_MAIL == 52428800, "the announced size is the limit");

enum phase { PHASE_NEW, PHASE_READY, PHASE_MAIL, PHASE_DATA };

struct lmtp_session {
    const struct lmtp_setup *setup;
    enum phase phase;
    bool over;
    int errors;
    struct buf out;
    char line[LIMIT_LMTP_LINE];
    size_t line_length; /* LIMIT_LMTP_LINE: the line is too long, and its rest is skipped */
    bool line_cr;       /* the last byte of a line that is too long was CR */
    /* the mail */
    struct arena *arena;
    struct inbox_mail mail; /* without recipient and raw */
    bool utf8;
    struct str *recipients;
    int recipient_count, recipient_room;
    struct inbox_draft draft; /* draft of the first recipient */
    int fault;                /* fault of the draft: 0, errno or TOO_LARGE */
    int64_t received;         /* bytes of data, with those of a mail that is too large */
    enum lmtp_place place;
    char data[LMTP_PIECE + 1];
};

/* ---- replies --------------------------------------------------------------------------------- */

static void lmtp_say(struct lmtp_session *s, const char *reply) {
    buf_text(&s->out, reply);
    buf_text(&s->out, "\r\n");
}

/* ---- a mail ---------------------------------------------------------------------------------- */

static void lmtp_reset(struct lmtp_session *s) {
    arena_free(s->arena);
    s->arena = arena_new();
    s->recipients = NULL;
    s->recipient_count = s->recipient_room = 0;
    if (s->phase > PHASE_READY) s->phase = PHASE_READY;
}

static const char *lmtp_mail(struct lmtp_session *s, const struct lmtp_command *c) {
    if (s->phase == PHASE_NEW) return "503 5.5.1 begin with LHLO";
    if (s->phase == PHASE_MAIL) return "503 5.5.1 there is a sender already";
    if (c->size > LIMIT_MAIL) {
        atomic_fetch_add(&s->setup->counts->refused, 1);
        return "552 5.3.4 this mail is too large";
    }
    if (c->international && !c->utf8) return "553 5.6.7 this address needs SMTPUTF8";
    s->mail = (struct inbox_mail){.door = DOOR_LMTP, .envelope_from = c->address};
    s->utf8 = c->utf8;
    s->phase = PHASE_MAIL;
    return "250 2.1.0 ok";
}

static const char *lmtp_refuse_recipient(struct lmtp_session *s) {
    atomic_fetch_add(&s->setup->counts->unknown, 1);
    log_often(LOG_INFO, "refused recipients",
              "LMTP: a recipient was refused, because the desk takes no mail for "
              "the address");
    return "550 5.1.1 the desk takes no mail for this address";
}

static const char *lmtp_rcpt(struct lmtp_session *s, const struct lmtp_command *c) {
    if (s->phase != PHASE_MAIL) return "503 5.5.1 give a sender first";
    if (s->recipient_count == LIMIT_LMTP_RECIPIENTS)
        return "452 4.5.3 too many recipients: send the mail to the others "
               "separately";
    if (c->international && !s->utf8) return "553 5.6.7 this address needs SMTPUTF8";
    int found = recipients_take(s->arena, s->setup->inbox, c->address);
    if (found == 0) return lmtp_refuse_recipient(s);
    if (found < 0) {
        atomic_fetch_add(&s->setup->counts->put_off, 1);
        log_often(LOG_ERROR, "recipients that could not be looked up",
                  "LMTP: %s/recipients can't be read: %s", s->setup->inbox.p, strerror(errno));
        return "451 4.3.0 the list of recipients can't be read now";
    }
    s->recipients =
        arena_more(s->arena, s->recipients, s->recipient_count, &s->recipient_room, sizeof *s->recipients);
    s->recipients[s->recipient_count++] = c->address;
    return "250 2.1.5 ok";
}

static const char *lmtp_trouble(const struct lmtp_session *s, int fault) {
    log_often(LOG_ERROR, "mails that could not be stored", "LMTP: %s can't store a mail now: %s",
              s->setup->inbox.p, strerror(fault));
    return fault == ENOSPC || fault == EDQUOT ? "451 4.3.1 the disk is full"
                                              : "451 4.3.0 the mail can't be stored now";
}

static struct inbox_mail for_recipient(const struct lmtp_session *s, int i) {
    struct inbox_mail mail = s->mail;
    mail.recipient = s->recipients[i];
    return mail;
}

static const char *lmtp_data(struct lmtp_session *s) {
    if (s->phase != PHASE_MAIL) return "503 5.5.1 give a sender first";
    if (s->recipient_count == 0) return "503 5.5.1 no recipient was accepted"; /* RFC 2033 section 4.2 */
    struct inbox_mail mail = for_recipient(s, 0);
    int fault = inbox_begin(&s->draft, s->arena, s->setup->inbox, &mail);
    if (fault) {
        inbox_drop(&s->draft);
        atomic_fetch_add(&s->setup->counts->put_off, s->recipient_count);
        lmtp_reset(s);
        return lmtp_trouble(s, fault);
    }
    s->fault = 0;
    s->received = 0;
    s->place = PLACE_LINE;
    s->phase = PHASE_DATA;
    return "354 send the mail, and end it with CRLF.CRLF";
}

/* ---- its end --------------------------------------------------------------------------------- */

/* Stores the mail for a further recipient. */
static int store_copy(struct lmtp_session *s, struct inbox_draft *d, int i) {
    struct inbox_mail mail = for_recipient(s, i);
    if ((s->draft.size + s->draft.envelope) * (i + 1) > LIMIT_LMTP_COPIES) return TOO_MANY;
    int fault = inbox_begin(d, s->arena, s->setup->inbox, &mail);
    if (!fault) fault = inbox_add_copy(d, &s->draft);
    if (!fault) fault = inbox_sync(d);
    if (!fault) fault = inbox_keep(d, s->arena, s->setup->inbox);
    if (fault) inbox_drop(d);
    return fault;
}

/* Stores the mail for all recipients. Sets the fault of each. The first file is renamed last, because the
 * others are copied from it. */
static void store_all(struct lmtp_session *s, struct inbox_draft *drafts, int *faults) {
    for (int i = 1; i < s->recipient_count; i++)
        faults[i] = s->fault ? s->fault : store_copy(s, &drafts[i], i);
    faults[0] = s->fault ? s->fault : inbox_sync(&s->draft);
    if (!faults[0]) faults[0] = inbox_keep(&s->draft, s->arena, s->setup->inbox);
    if (faults[0]) inbox_drop(&s->draft);
    drafts[0] = s->draft;
    int fault = s->fault ? 0 : s->setup->sync_names(s->setup->arg);
    for (int i = 0; fault && i < s->recipient_count; i++) {
        if (!faults[i]) inbox_drop(&drafts[i]);
        faults[i] = faults[i] ? faults[i] : fault;
    }
}

static void say_result(struct lmtp_session *s, const struct inbox_draft *d, int fault) {
    struct lmtp_counts *counts = s->setup->counts;
    if (fault == 0) {
        atomic_fetch_add(&counts->stored, 1);
        atomic_fetch_add(&counts->bytes, s->received);
        buf_fmt(&s->out, "250 2.0.0 stored as %s\r\n", str_leaf(str_of(d->kept)).p);
        return;
    }
    atomic_fetch_add(fault == TOO_LARGE ? &counts->refused : &counts->put_off, 1);
    lmtp_say(s, fault == TOO_LARGE  ? "552 5.3.4 this mail is too large"
                : fault == TOO_MANY ? "452 4.5.3 too many recipients of a large mail: send it to the others "
                                      "separately"
                                    : lmtp_trouble(s, fault));
}

static void lmtp_data_end(struct lmtp_session *s) {
    size_t n = (size_t)s->recipient_count;
    struct inbox_draft *drafts = arena_array(s->arena, n, sizeof *drafts);
    int *faults = arena_array(s->arena, n, sizeof *faults), stored = 0;
    store_all(s, drafts, faults);
    for (int i = 0; i < s->recipient_count; i++) {
        say_result(s, &drafts[i], faults[i]);
        stored += faults[i] == 0;
    }
    log_often(LOG_INFO, "mails by LMTP",
              "LMTP: a mail of %" PRId64 " bytes was stored for %d of %d recipients", s->received, stored,
              s->recipient_count);
    s->phase = PHASE_READY;
    lmtp_reset(s);
}

/* Adds data to the file. After a fault the rest of the mail is skipped. */
static void lmtp_data_add(struct lmtp_session *s, struct str bytes) {
    s->received += (int64_t)bytes.n;
    if (s->fault || bytes.n == 0) return;
    s->fault = s->received > LIMIT_MAIL ? TOO_LARGE : inbox_add(&s->draft, bytes);
    if (s->fault) inbox_drop(&s->draft);
}

static size_t feed_data(struct lmtp_session *s, struct str bytes) {
    size_t written, n = lmtp_data_read(&s->place, bytes, s->data, &written);
    lmtp_data_add(s, (struct str){s->data, written});
    if (s->place == PLACE_END) {
        lmtp_data_end(s);
    } else if (s->received > 4 * (int64_t)LIMIT_MAIL) {
        lmtp_say(s, "421 4.7.0 this mail is much too large");
        s->over = true;
    }
    return n;
}

/* ---- commands -------------------------------------------------------------------------------- */

static const char *lmtp_lhlo(struct lmtp_session *s) {
    lmtp_reset(s);
    s->phase = PHASE_READY;
    buf_fmt(&s->out,
            "250-%s\r\n250-PIPELINING\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n",
            s->setup->host.p);
    return "250 SIZE " LMTP_SIZE;
}

/* A browser that a hostile page makes send a request to this port must not get to the body of the request. */
static const char *lmtp_stranger(struct lmtp_session *s) {
    s->over = true;
    return "421 4.7.0 this is LMTP: begin with LHLO";
}

/* Returns the reply. */
static const char *lmtp_obey(struct lmtp_session *s, const struct lmtp_command *c) {
    if (c->verb == LMTP_UNKNOWN && s->phase == PHASE_NEW) return lmtp_stranger(s);
    if (c->wrong) return c->wrong;
    switch (c->verb) {
    case LMTP_LHLO: return lmtp_lhlo(s);
    case LMTP_MAIL: return lmtp_mail(s, c);
    case LMTP_RCPT: return lmtp_rcpt(s, c);
    case LMTP_DATA: return lmtp_data(s);
    case LMTP_RSET: lmtp_reset(s); return "250 2.0.0 ok";
    case LMTP_QUIT: s->over = true; return "221 2.0.0 bye";
    case LMTP_VRFY: return "252 2.1.5 send a mail to see whether it is taken";
    case LMTP_HELP: return "214 2.0.0 RFC 2033: LHLO MAIL RCPT DATA RSET NOOP QUIT VRFY";
    case LMTP_NOOP: return "250 2.0.0 ok";
    case LMTP_HELO:
    case LMTP_UNKNOWN: break;
    }
    return "500 5.5.1 unknown command";
}

/* Replies 50x are about syntax and order (RFC 5321 section 4.2.1). */
static void lmtp_answer(struct lmtp_session *s, const char *reply) {
    lmtp_say(s, reply);
    if (strncmp(reply, "50", 2) != 0 || ++s->errors < LIMIT_LMTP_ERRORS) return;
    lmtp_say(s, "421 4.7.0 too many errors");
    s->over = true;
}

static void lmtp_line(struct lmtp_session *s) {
    size_t n = s->line_length;
    s->line_length = 0;
    if (n == LIMIT_LMTP_LINE) {
        lmtp_answer(s, "500 5.5.2 this line is too long");
        return;
    }
    struct arena_mark mark = arena_mark(s->arena);
    struct lmtp_command c = lmtp_command_read(s->arena, (struct str){s->line, n - 1});
    const char *reply = lmtp_obey(s, &c);
    /* refusals take no memory */
    if ((c.verb == LMTP_MAIL || c.verb == LMTP_RCPT) && *reply != '2') arena_return(s->arena, mark);
    lmtp_answer(s, reply);
}

/* Takes a byte of a command. Only CR LF ends it. */
static void feed_byte(struct lmtp_session *s, char c) {
    bool cr = s->line_length == LIMIT_LMTP_LINE ? s->line_cr
                                                : s->line_length && s->line[s->line_length - 1] == '\r';
    s->line_cr = c == '\r';
    if (cr && c == '\n') lmtp_line(s);
    else if (s->line_length < LIMIT_LMTP_LINE) s->line[s->line_length++] = c;
}

bool lmtp_session_feed(struct lmtp_session *s, struct str bytes) {
    while (bytes.n && !s->over) {
        size_t n = 1;
        if (s->phase == PHASE_DATA) n = feed_data(s, bytes);
        else feed_byte(s, *bytes.p);
        bytes = (struct str){bytes.p + n, bytes.n - n};
    }
    return !s->over;
}

/* ---- the session ----------------------------------------------------------------------------- */

struct lmtp_session *lmtp_session_new(const struct lmtp_setup *setup) {
    struct lmtp_session *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->setup = setup;
    s->arena = arena_new();
    buf_fmt(&s->out, "220 %s LMTP\r\n", setup->host.p);
    return s;
}

void lmtp_session_free(struct lmtp_session *s) {
    if (s->phase == PHASE_DATA) inbox_drop(&s->draft);
    arena_free(s->arena);
    buf_free(&s->out);
    free(s);
}

struct buf *lmtp_session_output(struct lmtp_session *s) {
    return &s->out;
}
bool lmtp_session_rests(const struct lmtp_session *s) { return s->phase != PHASE_DATA; }
